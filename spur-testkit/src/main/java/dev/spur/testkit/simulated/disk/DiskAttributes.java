package dev.spur.testkit.simulated.disk;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/// What is known of a file beside its bytes.
record DiskAttributes(Inode inode) implements PosixFileAttributes {
    private static final FileTime ALWAYS = FileTime.fromMillis(0);

    @Override
    public Set<PosixFilePermission> permissions() {
        return PosixFilePermissions.fromString(inode.isDirectory() ? "rwx------" : "rw-------");
    }

    @Override
    public UserPrincipal owner() {
        throw new UnsupportedOperationException("the owner by name");
    }

    @Override
    public GroupPrincipal group() {
        throw new UnsupportedOperationException("the group by name");
    }

    @Override
    public FileTime lastModifiedTime() {
        return ALWAYS;
    }

    @Override
    public FileTime lastAccessTime() {
        return ALWAYS;
    }

    @Override
    public FileTime creationTime() {
        return ALWAYS;
    }

    @Override
    public boolean isRegularFile() {
        return !inode.isDirectory();
    }

    @Override
    public boolean isDirectory() {
        return inode.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return false;
    }

    @Override
    public long size() {
        return inode.length();
    }

    @Override
    public Object fileKey() {
        return inode;
    }
}
