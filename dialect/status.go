package dialect

import (
	"fmt"
	"strings"
)

// TaskStatus is what the model says of its progress (contract T11).
type TaskStatus struct {
	// Status is starting, in-progress or completed.
	Status  string
	Done    string
	Pending string
	Now     string
	Ready   bool
	More    bool
}

// Completed reports that the model declares its task done, in all three ways
// in which it can.
func (s *TaskStatus) Completed() bool { return s.Status == statusCompleted && s.Ready && !s.More }

const (
	statusStarting   = "starting"
	statusInProgress = "in-progress"
	statusCompleted  = "completed"
)

// maxStatusText bounds each text of a status: it is shown on one line.
const maxStatusText = 400

// readStatus reads a status. Only the status value itself must be right; what
// else is missing is empty. The older form {progress} says what is done now.
func readStatus(fields map[string]any) (*TaskStatus, string) {
	s := &TaskStatus{
		Done: statusText(fields["done"]), Pending: statusText(fields["pending"]), Now: statusText(fields["now"]),
		Ready: isTrue(fields["ready_for_final_report"]), More: isTrue(fields["need_to_run_more_tools"]),
	}
	status, given := fields["status"]
	if progress, old := fields["progress"]; old {
		if s.Now == "" {
			s.Now = statusText(progress)
		}
		if !given {
			status = statusInProgress
		}
	}
	word, _ := status.(string)
	s.Status = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(word)))
	switch s.Status {
	case statusStarting, statusInProgress, statusCompleted:
		return s, ""
	default:
		return nil, fmt.Sprintf("invalid status %q, want %s, %s or %s", clip(word, 40), statusStarting, statusInProgress, statusCompleted)
	}
}

func statusText(v any) string {
	s, _ := v.(string)
	return clip(strings.TrimSpace(s), maxStatusText)
}

func isTrue(v any) bool {
	if s, ok := v.(string); ok {
		return strings.EqualFold(strings.TrimSpace(s), "true")
	}
	b, _ := v.(bool)
	return b
}
