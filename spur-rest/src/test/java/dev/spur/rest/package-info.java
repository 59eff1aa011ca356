@org.jspecify.annotations.NullMarked
package dev.spur.rest;
