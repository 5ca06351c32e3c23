// Package config reads the settings of a program from its environment, strictly.
package config
