package wire_test

import (
	"context"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// The vendors' libraries, used as their examples use them. Their retries are
// off; answers that say nothing of use are no matter here, either.

func openaiClient(transport http.RoundTripper) openai.Client {
	return openai.NewClient(option.WithAPIKey("k"), option.WithHTTPClient(&http.Client{Transport: transport}), option.WithMaxRetries(0))
}

func chatSDK(transport http.RoundTripper) (*contender, error) {
	client := openaiClient(transport)
	return &contender{
		stream: func(ctx context.Context) (string, error) {
			stream := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
				Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(words(0, 0))},
			})
			var text strings.Builder
			for stream.Next() {
				if chunk := stream.Current(); len(chunk.Choices) > 0 {
					text.WriteString(chunk.Choices[0].Delta.Content)
				}
			}
			return text.String(), stream.Err()
		},
		turns: func(ctx context.Context, n int) error {
			messages := []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system)}
			for i := range n {
				messages = append(messages, openai.UserMessage(words(i, 0)))
				_, _ = client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m", Messages: messages})
				messages = append(messages, openai.AssistantMessage(words(i, 1)))
			}
			return nil
		},
	}, nil
}

func responsesSDK(transport http.RoundTripper) (*contender, error) {
	client := openaiClient(transport)
	params := func(items responses.ResponseInputParam) responses.ResponseNewParams {
		return responses.ResponseNewParams{
			Model: "m", Instructions: openai.String(system), Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
		}
	}
	message := func(role responses.EasyInputMessageRole, text string) responses.ResponseInputItemUnionParam {
		return responses.ResponseInputItemParamOfMessage(text, role)
	}
	return &contender{
		stream: func(ctx context.Context) (string, error) {
			stream := client.Responses.NewStreaming(ctx, params(responses.ResponseInputParam{message("user", words(0, 0))}))
			var text strings.Builder
			for stream.Next() {
				if event := stream.Current(); event.Type == "response.output_text.delta" {
					text.WriteString(event.Delta)
				}
			}
			return text.String(), stream.Err()
		},
		turns: func(ctx context.Context, n int) error {
			var items responses.ResponseInputParam
			for i := range n {
				items = append(items, message("user", words(i, 0)))
				_, _ = client.Responses.New(ctx, params(items))
				items = append(items, message("assistant", words(i, 1)))
			}
			return nil
		},
	}, nil
}

func messagesSDK(transport http.RoundTripper) (*contender, error) {
	client := anthropic.NewClient(
		anthropicoption.WithAPIKey("k"), anthropicoption.WithHTTPClient(&http.Client{Transport: transport}), anthropicoption.WithMaxRetries(0),
	)
	params := func(messages []anthropic.MessageParam) anthropic.MessageNewParams {
		return anthropic.MessageNewParams{
			Model: "m", MaxTokens: 1000, System: []anthropic.TextBlockParam{{Text: system}}, Messages: messages,
		}
	}
	return &contender{
		stream: func(ctx context.Context) (string, error) {
			stream := client.Messages.NewStreaming(ctx, params([]anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(words(0, 0)))}))
			var text strings.Builder
			for stream.Next() {
				if event := stream.Current(); event.Type == "content_block_delta" {
					text.WriteString(event.Delta.Text)
				}
			}
			return text.String(), stream.Err()
		},
		turns: func(ctx context.Context, n int) error {
			var messages []anthropic.MessageParam
			for i := range n {
				messages = append(messages, anthropic.NewUserMessage(anthropic.NewTextBlock(words(i, 0))))
				_, _ = client.Messages.New(ctx, params(messages))
				messages = append(messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock(words(i, 1))))
			}
			return nil
		},
	}, nil
}

func generateSDK(transport http.RoundTripper) (*contender, error) {
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		return nil, err
	}
	config := &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText(system, genai.RoleUser)}
	return &contender{
		stream: func(ctx context.Context) (string, error) {
			var text strings.Builder
			for answer, err := range client.Models.GenerateContentStream(ctx, "m", genai.Text(words(0, 0)), config) {
				if err != nil {
					return "", err
				}
				text.WriteString(answer.Text())
			}
			return text.String(), nil
		},
		turns: func(ctx context.Context, n int) error {
			var contents []*genai.Content
			for i := range n {
				contents = append(contents, genai.NewContentFromText(words(i, 0), genai.RoleUser))
				_, _ = client.Models.GenerateContent(ctx, "m", contents, config)
				contents = append(contents, genai.NewContentFromText(words(i, 1), genai.RoleModel))
			}
			return nil
		},
	}, nil
}
