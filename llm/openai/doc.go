// Package openai speaks the two APIs of OpenAI: Responses, and Chat Completions,
// which half the world imitates.
//
// [Responses] keeps nothing on the server: every request holds the whole
// conversation, and reasoning travels encrypted in both directions. It is the
// better choice for the vendor's own models.
//
// [Chat] is for everything that calls itself compatible. Services differ in the
// names of settings, in how they want reasoning asked for, and in the ids that
// they accept; what is known of each is a row in a table ([Flavor]). Reasoning
// arrives under three different names there. The name is remembered and used to
// send it back.
//
// Neither sends what is not configured, and both warn in the receipt of what
// the service has no word for.
package openai
