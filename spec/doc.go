// Package spec describes agents as data: the prompt, the tools, the models to
// ask, the limits, the form of the answer. A spec holds no function and no
// secret, so it can be stored, hashed, compared and sent.
//
// [Agent] is what a person writes. [Run] is what one run was started with,
// everything decided and nothing left to a default: it is pinned when the run
// starts and does not change while it lasts (contract P3, P4).
package spec
