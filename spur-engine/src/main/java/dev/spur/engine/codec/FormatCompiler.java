package dev.spur.engine.codec;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import dev.spur.model.IndexSet;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// Translates derived formats into a class: see [CompiledFormat]. The build runs it after the
/// module is compiled and puts what it prints beside the other classes.
///
/// Of a record `Step(StepId id, int tasks, List<String> nodes)` it makes what somebody would write
/// who knows that a mask comes first, that empty components are left out, and nothing else:
///
/// ```java
/// static void writeStep(Output out, Step value) {
///     int mask = out.reserve(1);
///     long present = 0;
///     StepId id = value.id();
///     if (id == null) throw Component.OfValue.isNull("id", value);
///     writeStepId(out, id);
///     present |= 1;
///     int tasks = value.tasks();
///     if (tasks != 0) { out.writeSigned(tasks); present |= 2; }
///     List nodes = value.nodes();
///     if (nodes == null) throw Component.OfValue.isNull("nodes", value);
///     if (!nodes.equals(List.of())) { writeListOfString(out, nodes); present |= 4; }
///     out.fill(mask, 1, present);
/// }
///
/// static Step readStep(Input in) {
///     long present = in.readUnsigned();
///     if (present >>> 3 != 0) throw RecordFormat.unknownComponents(present, 3, "Step");
///     StepId id = (present & 1) != 0 ? readStepId(in) : null;
///     int tasks = (present & 2) != 0 ? in.readInt() : 0;
///     List nodes = (present & 4) != 0 ? readListOfString(in) : List.of();
///     try {
///         Step made = new Step(id, tasks, nodes);
///         if ((present & 1) == 0 && made.id() == null) throw RecordFormat.without("id", "Step");
///         return made;
///     } catch (Exception e) {
///         throw RecordFormat.refused(e, "Step");
///     }
/// }
/// ```
final class FormatCompiler {
    private static final ClassDesc OUTPUT = of(Output.class);
    private static final ClassDesc INPUT = of(Input.class);
    private static final ClassDesc STRING = of(String.class);
    private static final ClassDesc LIST = of(List.class);
    private static final ClassDesc MAP = of(Map.class);
    private static final ClassDesc SORTED_MAP = of(SortedMap.class);
    private static final ClassDesc ENUM_FORMAT = of(EnumFormat.class);

    private final ClassDesc self;
    private final Map<String, String> names = new HashMap<>();
    private final Set<Class<?>> types = new LinkedHashSet<>();
    private final Map<String, EnumFormat<?>> enums = new LinkedHashMap<>();
    private final Deque<Format<?>> left = new ArrayDeque<>();

    private FormatCompiler(String name) {
        self = ClassDesc.of(name);
    }

    /// Prints the class of everything that is stored.
    static void main(String[] args) {
        var compiled = compile(CompiledFormat.NAME, new Formats(Tags.ALL), CompiledFormat.ROOTS);
        System.out.write(compiled, 0, compiled.length);
        System.out.flush();
    }

    /// The bytes of a class with this name that has the formats of these roots.
    static byte[] compile(String name, Formats formats, List<Class<?>> roots) {
        var derived = new ArrayList<Format<?>>();
        roots.forEach(root -> derived.add(formats.of(root)));
        var loader = FormatCompiler.class.getClassLoader();
        return ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofClassLoading(loader)))
                .build(ClassDesc.of(name), type -> new FormatCompiler(name).write(type, derived));
    }

    private void write(ClassBuilder type, List<Format<?>> roots) {
        var parent = of(CompiledFormat.class);
        type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER | ClassFile.ACC_SYNTHETIC)
                .withSuperclass(parent);
        var ofRoot = MethodTypeDesc.of(CD_void, CD_int);
        type.withMethodBody(
                INIT_NAME,
                ofRoot,
                0,
                code -> code.aload(0).iload(1).invokespecial(parent, INIT_NAME, ofRoot).return_());
        type.withMethodBody(
                "write",
                MethodTypeDesc.of(CD_void, CD_Object, OUTPUT),
                0,
                code ->
                        chosen(
                                code,
                                roots,
                                root -> {
                                    code.aload(2).aload(1).checkcast(typeOf(root));
                                    write(code, root);
                                    code.return_();
                                }));
        type.withMethodBody(
                "read",
                MethodTypeDesc.of(CD_Object, INPUT),
                0,
                code ->
                        chosen(
                                code,
                                roots,
                                root -> {
                                    code.aload(1);
                                    read(code, root);
                                    code.areturn();
                                }));
        while (!left.isEmpty()) {
            methods(type, left.remove());
        }
        constants(type);
    }

    /// The root that the instance was made for; the last one needs no question.
    private void chosen(CodeBuilder code, List<Format<?>> roots, Consumer<Format<?>> each) {
        for (var i = 0; i < roots.size(); i++) {
            var next = code.newLabel();
            if (i < roots.size() - 1) {
                code.aload(0).getfield(of(CompiledFormat.class), "root", CD_int);
                code.loadConstant(i).if_icmpne(next);
            }
            each.accept(roots.get(i));
            code.labelBinding(next);
        }
    }

    private void methods(ClassBuilder type, Format<?> format) {
        switch (format) {
            case RecordFormat<?> record -> {
                method(type, writing(record), code -> writeRecord(code, record));
                method(type, reading(record), code -> readRecord(code, record));
            }
            case FamilyFormat<?> family -> {
                method(type, writing(family), code -> writeFamily(code, family));
                method(type, reading(family), code -> readFamily(code, family));
            }
            case ListFormat<?> list -> {
                method(type, writing(list), code -> writeList(code, list));
                method(type, reading(list), code -> readList(code, list));
            }
            case MapFormat<?, ?> map -> {
                method(type, writing(map), code -> writeMap(code, map));
                method(type, reading(map), code -> readMap(code, map));
            }
            case EnumFormat<?> _, Leaf<?> _, CompiledFormat<?> _ ->
                    throw new IllegalStateException(format + " has no methods");
        }
    }

    private record Method(String name, MethodTypeDesc type) {}

    private static void method(ClassBuilder type, Method method, Consumer<CodeBuilder> body) {
        type.withMethodBody(
                method.name, method.type, ClassFile.ACC_STATIC | ClassFile.ACC_PRIVATE, body);
    }

    private Method writing(Format<?> format) {
        return new Method(
                "write" + nameOf(format), MethodTypeDesc.of(CD_void, OUTPUT, typeOf(format)));
    }

    private Method reading(Format<?> format) {
        return new Method("read" + nameOf(format), MethodTypeDesc.of(typeOf(format), INPUT));
    }

    /// With an output and a value on the stack.
    private void write(CodeBuilder code, Format<?> format) {
        if (format instanceof EnumFormat<?>) {
            code.invokevirtual(of(Enum.class), "name", MethodTypeDesc.of(STRING));
            code.invokevirtual(OUTPUT, "writeText", MethodTypeDesc.of(CD_void, STRING));
        } else {
            var method = writing(format);
            code.invokestatic(ownerOf(format), method.name, method.type);
        }
    }

    /// With an input on the stack, which the value replaces.
    private void read(CodeBuilder code, Format<?> format) {
        if (format instanceof EnumFormat<?>) {
            code.getstatic(self, nameOf(format), ENUM_FORMAT).swap();
            code.invokevirtual(ENUM_FORMAT, "read", MethodTypeDesc.of(of(Enum.class), INPUT));
            code.checkcast(typeOf(format));
        } else {
            var method = reading(format);
            code.invokestatic(ownerOf(format), method.name, method.type);
        }
    }

    private ClassDesc ownerOf(Format<?> format) {
        return format instanceof Leaf<?> ? of(Leaves.class) : self;
    }

    private void writeRecord(CodeBuilder code, RecordFormat<?> record) {
        var mask = code.allocateLocal(TypeKind.INT);
        var present = code.allocateLocal(TypeKind.LONG);
        code.aload(0).loadConstant(record.maskWidth);
        code.invokevirtual(OUTPUT, "reserve", MethodTypeDesc.of(CD_int, CD_int)).istore(mask);
        code.lconst_0().lstore(present);
        for (var i = 0; i < record.components.length; i++) {
            var empty = code.newLabel();
            writeComponent(code, record, i, empty);
            code.lload(present).loadConstant(1L << i).lor().lstore(present);
            code.labelBinding(empty);
        }
        code.aload(0).iload(mask).loadConstant(record.maskWidth).lload(present);
        code.invokevirtual(OUTPUT, "fill", MethodTypeDesc.of(CD_void, CD_int, CD_int, CD_long));
        code.return_();
    }

    private void writeComponent(CodeBuilder code, RecordFormat<?> record, int i, Label empty) {
        var component = record.components[i];
        var type = declaredType(record, i);
        code.aload(1).invokevirtual(typeOf(record), component.name, MethodTypeDesc.of(type));
        if (component instanceof Component.OfBoolean) {
            code.ifeq(empty);
            return;
        }
        var value = code.allocateLocal(TypeKind.from(type));
        code.storeLocal(TypeKind.from(type), value);
        switch (component) {
            case Component.OfBoolean _ -> throw new IllegalStateException("written above");
            case Component.OfInt _ -> {
                code.iload(value).ifeq(empty);
                code.aload(0).iload(value).i2l();
                code.invokevirtual(OUTPUT, "writeSigned", MethodTypeDesc.of(CD_void, CD_long));
            }
            case Component.OfLong _ -> {
                code.lload(value).lconst_0().lcmp().ifeq(empty);
                code.aload(0).lload(value);
                code.invokevirtual(OUTPUT, "writeSigned", MethodTypeDesc.of(CD_void, CD_long));
            }
            case Component.OfValue part -> {
                skipMissing(code, part, value, empty);
                code.aload(0).aload(value);
                write(code, part.format);
            }
        }
    }

    private void skipMissing(CodeBuilder code, Component.OfValue part, int value, Label empty) {
        if (part.nullable) {
            code.aload(value).ifnull(empty);
            return;
        }
        var given = code.newLabel();
        code.aload(value).ifnonnull(given);
        code.loadConstant(part.name).aload(1);
        fail(
                code,
                Component.OfValue.class,
                "isNull",
                IllegalArgumentException.class,
                STRING,
                CD_Object);
        code.labelBinding(given);
        if (!part.needsValue()) {
            code.aload(value);
            loadEmpty(code, part);
            code.invokevirtual(CD_Object, "equals", MethodTypeDesc.of(CD_boolean, CD_Object));
            code.ifne(empty);
        }
    }

    private void readRecord(CodeBuilder code, RecordFormat<?> record) {
        var count = record.components.length;
        var name = record.type.getSimpleName();
        var present = code.allocateLocal(TypeKind.LONG);
        var known = code.newLabel();
        code.aload(0).invokevirtual(INPUT, "readUnsigned", MethodTypeDesc.of(CD_long));
        code.lstore(present);
        code.lload(present).loadConstant(count).lushr().lconst_0().lcmp().ifeq(known);
        code.lload(present).loadConstant(count).loadConstant(name);
        fail(
                code,
                RecordFormat.class,
                "unknownComponents",
                CodecException.class,
                CD_long,
                CD_int,
                STRING);
        code.labelBinding(known);

        var values = new int[count];
        for (var i = 0; i < count; i++) {
            values[i] = readComponent(code, record, i, present);
        }
        code.trying(
                attempt -> construct(attempt, record, values, present),
                caught ->
                        caught.catching(
                                of(Exception.class),
                                handler -> {
                                    handler.loadConstant(name);
                                    fail(
                                            handler,
                                            RecordFormat.class,
                                            "refused",
                                            CodecException.class,
                                            of(Throwable.class),
                                            STRING);
                                }));
    }

    /// The local variable that has it then.
    private int readComponent(CodeBuilder code, RecordFormat<?> record, int i, int present) {
        var component = record.components[i];
        var kind = TypeKind.from(declaredType(record, i));
        var missing = code.newLabel();
        var done = code.newLabel();
        var value = code.allocateLocal(kind);
        ask(code, present, 1L << i).ifeq(missing);
        switch (component) {
            case Component.OfBoolean _ -> code.iconst_1();
            case Component.OfInt _ ->
                    code.aload(0).invokevirtual(INPUT, "readInt", MethodTypeDesc.of(CD_int));
            case Component.OfLong _ ->
                    code.aload(0).invokevirtual(INPUT, "readSigned", MethodTypeDesc.of(CD_long));
            case Component.OfValue part -> {
                code.aload(0);
                read(code, part.format);
            }
        }
        code.storeLocal(kind, value).goto_(done);
        code.labelBinding(missing);
        switch (component) {
            case Component.OfBoolean _, Component.OfInt _ -> code.iconst_0();
            case Component.OfLong _ -> code.lconst_0();
            case Component.OfValue part -> loadEmpty(code, part);
        }
        code.storeLocal(kind, value).labelBinding(done);
        return value;
    }

    private void construct(CodeBuilder code, RecordFormat<?> record, int[] values, int present) {
        var type = typeOf(record);
        var types = new ArrayList<ClassDesc>();
        code.new_(type).dup();
        for (var i = 0; i < values.length; i++) {
            types.add(declaredType(record, i));
            code.loadLocal(TypeKind.from(types.get(i)), values[i]);
        }
        code.invokespecial(type, INIT_NAME, MethodTypeDesc.of(CD_void, types));
        var made = code.allocateLocal(TypeKind.REFERENCE);
        code.astore(made);
        for (var i = 0; i < values.length; i++) {
            var component = record.components[i];
            if (component.needsValue()) {
                var supplied = code.newLabel();
                ask(code, present, 1L << i).ifne(supplied);
                code.aload(made)
                        .invokevirtual(type, component.name, MethodTypeDesc.of(types.get(i)))
                        .ifnonnull(supplied);
                code.loadConstant(component.name).loadConstant(record.type.getSimpleName());
                fail(code, RecordFormat.class, "without", CodecException.class, STRING, STRING);
                code.labelBinding(supplied);
            }
        }
        code.aload(made).areturn();
    }

    /// Leaves 0 on the stack if the bit is not set.
    private static CodeBuilder ask(CodeBuilder code, int mask, long bit) {
        return code.lload(mask).loadConstant(bit).land().lconst_0().lcmp();
    }

    private static void loadEmpty(CodeBuilder code, Component.OfValue part) {
        switch (part.missing()) {
            case null -> code.aconst_null();
            case String text -> code.loadConstant(text);
            case List<?> _ -> code.invokestatic(LIST, "of", MethodTypeDesc.of(LIST), true);
            case Map<?, ?> _ ->
                    code.invokestatic(
                            of(Collections.class), "emptySortedMap", MethodTypeDesc.of(SORTED_MAP));
            case Duration _ -> code.getstatic(of(Duration.class), "ZERO", of(Duration.class));
            case IndexSet _ -> code.getstatic(of(IndexSet.class), "EMPTY", of(IndexSet.class));
            case Object other ->
                    throw new IllegalArgumentException("how is this made? " + other.getClass());
        }
    }

    private void writeFamily(CodeBuilder code, FamilyFormat<?> family) {
        family.members()
                .forEach((type, member) -> {
                    var next = code.newLabel();
                    code.aload(1).instanceOf(of(type)).ifeq(next);
                    code.aload(0).loadConstant((long) member.tag());
                    code.invokevirtual(
                            OUTPUT, "writeUnsigned", MethodTypeDesc.of(CD_void, CD_long));
                    code.aload(0).aload(1).checkcast(of(type));
                    write(code, member.format());
                    code.return_().labelBinding(next);
                });
        code.aload(1).loadConstant(family.type.getSimpleName());
        fail(
                code,
                FamilyFormat.class,
                "withoutTag",
                IllegalArgumentException.class,
                CD_Object,
                STRING);
    }

    private void readFamily(CodeBuilder code, FamilyFormat<?> family) {
        var tag = code.allocateLocal(TypeKind.LONG);
        var unknown = code.newLabel();
        var cases = new LinkedHashMap<SwitchCase, Format<?>>();
        var members = new TreeMap<Integer, Format<?>>();
        for (var member : family.members().values()) {
            members.put(member.tag(), member.format());
        }
        members.forEach(
                (number, format) -> cases.put(SwitchCase.of(number, code.newLabel()), format));
        code.aload(0).invokevirtual(INPUT, "readUnsigned", MethodTypeDesc.of(CD_long)).lstore(tag);
        code.lload(tag)
                .invokestatic(of(FamilyFormat.class), "narrow", MethodTypeDesc.of(CD_int, CD_long));
        code.lookupswitch(unknown, List.copyOf(cases.keySet()));
        cases.forEach((each, format) -> {
            code.labelBinding(each.target()).aload(0);
            read(code, format);
            code.areturn();
        });
        code.labelBinding(unknown).lload(tag).loadConstant(family.type.getSimpleName());
        fail(code, FamilyFormat.class, "unknown", CodecException.class, CD_long, STRING);
    }

    private void writeList(CodeBuilder code, ListFormat<?> list) {
        writeSize(code, LIST);
        code.aload(1);
        forEach(
                code,
                LIST,
                member -> {
                    code.aload(0).aload(member).checkcast(typeOf(list.member));
                    write(code, list.member);
                });
        code.return_();
    }

    private void readList(CodeBuilder code, ListFormat<?> list) {
        var members = code.allocateLocal(TypeKind.REFERENCE);
        var objects = CD_Object.arrayType();
        readCount(code).anewarray(CD_Object).astore(members);
        count(
                code,
                () -> code.aload(members).arraylength(),
                i -> {
                    code.aload(members).iload(i).aload(0);
                    read(code, list.member);
                    code.aastore();
                });
        code.aload(members).invokestatic(LIST, "of", MethodTypeDesc.of(LIST, objects), true);
        code.areturn();
    }

    private void writeMap(CodeBuilder code, MapFormat<?, ?> map) {
        var entry = of(Map.Entry.class);
        writeSize(code, MAP);
        code.aload(1)
                .invokestatic(
                        of(MapFormat.class),
                        "inOrder",
                        MethodTypeDesc.of(of(Collection.class), MAP));
        forEach(
                code,
                of(Collection.class),
                pair -> {
                    code.aload(0).aload(pair).checkcast(entry);
                    code.invokeinterface(entry, "getKey", MethodTypeDesc.of(CD_Object));
                    code.checkcast(typeOf(map.key));
                    write(code, map.key);
                    code.aload(0).aload(pair).checkcast(entry);
                    code.invokeinterface(entry, "getValue", MethodTypeDesc.of(CD_Object));
                    code.checkcast(typeOf(map.value));
                    write(code, map.value);
                });
        code.return_();
    }

    private void readMap(CodeBuilder code, MapFormat<?, ?> map) {
        var tree = of(TreeMap.class);
        var pairs = code.allocateLocal(TypeKind.REFERENCE);
        var size = code.allocateLocal(TypeKind.INT);
        readCount(code).istore(size);
        code.new_(tree).dup().invokespecial(tree, INIT_NAME, MTD_void).astore(pairs);
        count(
                code,
                () -> code.iload(size),
                _ -> {
                    code.aload(pairs).aload(0);
                    read(code, map.key);
                    code.aload(0);
                    read(code, map.value);
                    code.aload(0)
                            .invokestatic(
                                    of(MapFormat.class),
                                    "put",
                                    MethodTypeDesc.of(
                                            CD_void, SORTED_MAP, CD_Object, CD_Object, INPUT));
                });
        code.aload(pairs)
                .invokestatic(
                        of(Collections.class),
                        "unmodifiableSortedMap",
                        MethodTypeDesc.of(SORTED_MAP, SORTED_MAP))
                .areturn();
    }

    private static void writeSize(CodeBuilder code, ClassDesc collection) {
        code.aload(0).aload(1).invokeinterface(collection, "size", MethodTypeDesc.of(CD_int)).i2l();
        code.invokevirtual(OUTPUT, "writeUnsigned", MethodTypeDesc.of(CD_void, CD_long));
    }

    private static CodeBuilder readCount(CodeBuilder code) {
        return code.aload(0).invokevirtual(INPUT, "readCount", MethodTypeDesc.of(CD_int));
    }

    /// A loop over the collection on the stack.
    private static void forEach(CodeBuilder code, ClassDesc collection, Consumer<Integer> body) {
        var iteratorType = of(Iterator.class);
        var iterator = code.allocateLocal(TypeKind.REFERENCE);
        var member = code.allocateLocal(TypeKind.REFERENCE);
        var again = code.newLabel();
        var done = code.newLabel();
        code.invokeinterface(collection, "iterator", MethodTypeDesc.of(iteratorType));
        code.astore(iterator).labelBinding(again);
        code.aload(iterator)
                .invokeinterface(iteratorType, "hasNext", MethodTypeDesc.of(CD_boolean))
                .ifeq(done);
        code.aload(iterator)
                .invokeinterface(iteratorType, "next", MethodTypeDesc.of(CD_Object))
                .astore(member);
        body.accept(member);
        code.goto_(again).labelBinding(done);
    }

    /// A loop from 0 up to a limit.
    private static void count(CodeBuilder code, Runnable loadLimit, Consumer<Integer> body) {
        var i = code.allocateLocal(TypeKind.INT);
        var again = code.newLabel();
        var done = code.newLabel();
        code.iconst_0().istore(i).labelBinding(again).iload(i);
        loadLimit.run();
        code.if_icmpge(done);
        body.accept(i);
        code.iinc(i, 1).goto_(again).labelBinding(done);
    }

    /// Throws what a static method makes of the values on the stack.
    private static void fail(
            CodeBuilder code, Class<?> owner, String maker, Class<?> made, ClassDesc... from) {
        code.invokestatic(of(owner), maker, MethodTypeDesc.of(of(made), from)).athrow();
    }

    /// Enums are read by their derived format, one constant for each. All classes are begun before
    /// the first value is read.
    private void constants(ClassBuilder type) {
        enums.keySet()
                .forEach(name ->
                        type.withField(
                                name,
                                ENUM_FORMAT,
                                ClassFile.ACC_PRIVATE
                                        | ClassFile.ACC_STATIC
                                        | ClassFile.ACC_FINAL));
        type.withMethodBody(
                CLASS_INIT_NAME,
                MTD_void,
                ClassFile.ACC_STATIC,
                code -> {
                    for (var each : types) {
                        code.loadConstant(of(each));
                        code.invokestatic(
                                of(Formats.class),
                                "initialize",
                                MethodTypeDesc.of(CD_void, of(Class.class)));
                    }
                    enums.forEach((name, format) -> {
                        code.new_(ENUM_FORMAT).dup().loadConstant(of(format.type));
                        code.invokespecial(
                                ENUM_FORMAT,
                                INIT_NAME,
                                MethodTypeDesc.of(CD_void, of(Class.class)));
                        code.putstatic(self, name, ENUM_FORMAT);
                    });
                    code.return_();
                });
    }

    private static ClassDesc typeOf(Format<?> format) {
        return switch (format) {
            case RecordFormat<?> record -> of(record.type);
            case FamilyFormat<?> family -> of(family.type);
            case EnumFormat<?> constant -> of(constant.type);
            case Leaf<?> leaf -> of(leaf.type);
            case ListFormat<?> _ -> LIST;
            case MapFormat<?, ?> _ -> MAP;
            case CompiledFormat<?> _ -> throw new IllegalArgumentException("it is compiled");
        };
    }

    private static ClassDesc declaredType(RecordFormat<?> record, int i) {
        return of(record.type.getRecordComponents()[i].getType());
    }

    /// The format's part of the names of its methods; whoever has none yet is compiled later.
    private String nameOf(Format<?> format) {
        var type = describe(format, Class::getName);
        var known = names.get(type);
        if (known != null) {
            return known;
        }
        var name = describe(format, FormatCompiler::shortName);
        while (names.containsValue(name)) {
            name += "_"; // of another package
        }
        names.put(type, name);
        if (format instanceof EnumFormat<?> constant) {
            enums.put(name, constant);
        } else if (!(format instanceof Leaf<?>)) {
            left.add(format);
        }
        return name;
    }

    private String describe(Format<?> format, Function<Class<?>, String> naming) {
        return switch (format) {
            case RecordFormat<?> record -> naming.apply(accessible(record.type));
            case FamilyFormat<?> family -> naming.apply(accessible(family.type));
            case EnumFormat<?> constant -> naming.apply(accessible(constant.type));
            case Leaf<?> leaf -> naming.apply(leaf.type);
            case ListFormat<?> list -> "ListOf" + describe(list.member, naming);
            case MapFormat<?, ?> map ->
                    "MapOf" + describe(map.key, naming) + "To" + describe(map.value, naming);
            case CompiledFormat<?> _ -> throw new IllegalArgumentException("it is compiled");
        };
    }

    /// `Command$SubmitJob`.
    private static String shortName(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1);
    }

    private Class<?> accessible(Class<?> type) {
        if (!Modifier.isPublic(type.getModifiers())
                && !type.getPackageName().equals(self.packageName())) {
            throw new IllegalArgumentException(
                    type.getName() + " is not public: compiled formats cannot use it");
        }
        types.add(type);
        return type;
    }

    private static ClassDesc of(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }
}
