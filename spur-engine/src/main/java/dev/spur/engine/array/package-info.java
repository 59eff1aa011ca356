/// Job arrays: which tasks one record stands for ([ArrayTasks][dev.spur.engine.array.ArrayTasks]),
/// and the account of a whole array, however many records it has
/// ([ArrayLedger][dev.spur.engine.array.ArrayLedger]: start there).
@NullMarked
package dev.spur.engine.array;

import org.jspecify.annotations.NullMarked;
