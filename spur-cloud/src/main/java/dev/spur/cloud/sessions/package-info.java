/// Sessions: what people launch, from the wish to the end.
///
/// ```
///  POST ─▶ Launches: intent in the database ─▶ Backend.submit ─▶ job noted
///                                                  ▲                │
///  crash anywhere ─▶ Reconciler, one leader ───────┘   Backend.follow, list
///                                                                   ▼
///                                            SessionStore.observe: states, times, reasons
///                                                                   ▼
///                                            session_event ─▶ SessionEvents ─▶ streams, terminals
/// ```
///
/// Start with {@link dev.spur.cloud.sessions.Launches} and {@link
/// dev.spur.cloud.sessions.Reconciler}. Nothing above {@link dev.spur.cloud.sessions.Backend} knows
/// what runs a session.
@NullMarked
package dev.spur.cloud.sessions;

import org.jspecify.annotations.NullMarked;
