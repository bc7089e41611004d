/*
 * Preloaded into a program: of its calls that change something below FAIL_BELOW the one with the number FAIL_AT fails with EIO
 * and so do all after it, or with FAIL_BY_KILL the process is killed in it. That it came so far is told by a file, FAIL_SEEN.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int count;

static int fails_at(const char *path) {
  const char *below = getenv("FAIL_BELOW"), *at = getenv("FAIL_AT"), *seen = getenv("FAIL_SEEN");
  if (!below || !at || !seen || strncmp(path, below, strlen(below)) != 0) return 0;
  if (__sync_add_and_fetch(&count, 1) < atoi(at)) return 0;
  mknod(seen, S_IFREG | 0600, 0);
  if (getenv("FAIL_BY_KILL")) kill(getpid(), SIGKILL);
  errno = EIO;
  return 1;
}

static int fails_in(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return fails_at(path);
}

/* Names of open folders stand for the folders. */
static int fails(const char *path) {
  static const char open_folders[] = "/proc/self/fd/";
  if (strncmp(path, open_folders, sizeof open_folders - 1) == 0) return fails_in(atoi(path + sizeof open_folders - 1));
  return fails_at(path);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define OPEN(name)                                                \
  int name(const char *path, int flags, ...) {                    \
    REAL(name);                                                   \
    va_list rest;                                                 \
    va_start(rest, flags);                                        \
    mode_t mode = va_arg(rest, mode_t);                           \
    va_end(rest);                                                 \
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && fails(path)) return -1; \
    return real(path, flags, mode);                               \
  }
#define CALL(type, name, takes, gives, test) \
  type name takes {                          \
    REAL(name);                              \
    if (test) return -1;                     \
    return real gives;                       \
  }

OPEN(open)
OPEN(open64)
CALL(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), fails_in(file))
CALL(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at), fails_in(file))
CALL(int, fsync, (int file), (file), fails_in(file))
CALL(int, fdatasync, (int file), (file), fails_in(file))
CALL(int, fchmod, (int file, mode_t mode), (file, mode), fails_in(file))
CALL(int, chmod, (const char *path, mode_t mode), (path, mode), fails(path))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), fails(path))
CALL(int, rmdir, (const char *path), (path), fails(path))
CALL(int, unlink, (const char *path), (path), fails(path))
CALL(int, link, (const char *from, const char *to), (from, to), fails(to))
CALL(int, rename, (const char *from, const char *to), (from, to), fails(to))
