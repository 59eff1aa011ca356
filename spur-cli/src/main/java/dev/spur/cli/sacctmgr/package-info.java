/// `sacctmgr`: accounts, users, associations, QOS and what else accounting keeps.
///
/// Start with [Sacctmgr][dev.spur.cli.sacctmgr.Sacctmgr] and its
/// [Verbs][dev.spur.cli.sacctmgr.Verbs]; the grammar is in
/// [Request][dev.spur.cli.sacctmgr.Request], the columns of listings are in
/// [AssociationColumns][dev.spur.cli.sacctmgr.AssociationColumns] and its neighbours.
@NullMarked
package dev.spur.cli.sacctmgr;

import org.jspecify.annotations.NullMarked;
