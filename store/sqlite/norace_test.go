//go:build !race

package sqlite

const slowdown = 1
