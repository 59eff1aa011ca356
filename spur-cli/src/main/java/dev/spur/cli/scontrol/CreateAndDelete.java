package dev.spur.cli.scontrol;

import static dev.spur.cli.scontrol.Words.word;

import java.util.List;

/// `scontrol create` and `delete`: the first word says of what.
final class CreateAndDelete {
    private enum Entity {
        PARTITION,
        RESERVATION
    }

    private static final Words<Entity> ENTITIES =
            new Words<>(
                    List.of(
                            word("partitionname", 3, Entity.PARTITION),
                            word("reservationname", 3, Entity.RESERVATION)));

    private CreateAndDelete() {}

    static int create(Session session, List<String> words) {
        if (words.isEmpty()) {
            return Verbs.tooFew(session, "create");
        }
        var first = Pair.of(words.getFirst());
        var entity = ENTITIES.find(first.key());
        if (entity.isEmpty()) {
            return session.fail("Invalid creation entity: " + words.getFirst());
        }
        var pairs =
                words.stream()
                        .map(Pair::of)
                        .filter(pair -> pair.hasValue() || !pair.equals(first))
                        .toList();
        return switch (entity.get()) {
            case RESERVATION -> ReservationVerbs.create(session, pairs);
            case PARTITION -> PartitionVerbs.create(session, pairs);
        };
    }

    /// `delete ReservationName=NAME`, or the name as a word of its own.
    static int delete(Session session, List<String> words) {
        if (words.isEmpty()) {
            return Verbs.tooFew(session, "delete");
        }
        var pair = Pair.of(words.getFirst());
        var entity = ENTITIES.find(pair.key());
        var name = pair.hasValue() || words.size() < 2 ? pair.value() : words.get(1);
        if (entity.isEmpty() || name.isEmpty()) {
            return session.fail("Invalid deletion entity: " + words.getFirst());
        }
        return switch (entity.get()) {
            case RESERVATION -> ReservationVerbs.delete(session, words.getFirst(), name);
            case PARTITION -> PartitionVerbs.delete(session, words.getFirst(), name);
        };
    }
}
