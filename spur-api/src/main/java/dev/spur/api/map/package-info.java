/// One mapper per entity between the vocabulary (`dev.spur.model`) and the wire
/// (`dev.spur.api.v1`). They translate and decide nothing; a text in a notation stays a text.
@NullMarked
package dev.spur.api.map;

import org.jspecify.annotations.NullMarked;
