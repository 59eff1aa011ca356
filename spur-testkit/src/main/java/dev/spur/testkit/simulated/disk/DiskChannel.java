package dev.spur.testkit.simulated.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/// An open file.
final class DiskChannel extends FileChannel {
    private final SimulatedDisk disk;
    private final String path;
    private final Inode inode;
    private final boolean append;
    private final boolean synchronous;
    private int position;

    DiskChannel(SimulatedDisk disk, String path, Inode inode, boolean append, boolean synchronous) {
        this.disk = disk;
        this.path = path;
        this.inode = inode;
        this.append = append;
        this.synchronous = synchronous;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        var count = read(into, position);
        position += Math.max(0, count);
        return count;
    }

    @Override
    public int read(ByteBuffer into, long at) throws IOException {
        disk.read();
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (into.hasRemaining() && at >= inode.length()) {
            return -1;
        }
        var bytes = inode.read(Math.toIntExact(at), into.remaining());
        into.put(bytes);
        return bytes.length;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        if (append) {
            position = inode.length();
        }
        var count = write(from, position);
        position += count;
        return count;
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        disk.take(from.remaining());
        var bytes = new byte[from.remaining()];
        from.get(bytes);
        inode.write(Math.toIntExact(at), bytes);
        if (synchronous) {
            force(true);
        }
        return bytes.length;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public FileChannel position(long newPosition) {
        position = Math.toIntExact(newPosition);
        return this;
    }

    @Override
    public long size() {
        return inode.length();
    }

    @Override
    public FileChannel truncate(long size) {
        inode.truncate(Math.toIntExact(size));
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        disk.sync(path, inode);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw new UnsupportedOperationException("scattered reads");
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw new UnsupportedOperationException("gathered writes");
    }

    @Override
    public long transferTo(long at, long count, WritableByteChannel target) throws IOException {
        return target.write(
                ByteBuffer.wrap(
                        inode.read(Math.toIntExact(at), (int) Math.min(count, inode.length()))));
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) {
        throw new UnsupportedOperationException("transfers into a simulated file");
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) {
        throw new UnsupportedOperationException("mapping a simulated file");
    }

    @Override
    public FileLock lock(long at, long size, boolean shared) {
        throw new UnsupportedOperationException("locking a simulated file");
    }

    @Override
    public FileLock tryLock(long at, long size, boolean shared) {
        throw new UnsupportedOperationException("locking a simulated file");
    }

    @Override
    protected void implCloseChannel() {}
}
