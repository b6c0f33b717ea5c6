/*
 * Preloaded into a program: records in one order every call that changes the folder under test, and ends the program at a chosen
 * call, as a power cut does. The file system itself loses nothing; the model makes from the record what a power cut may leave.
 *
 * fsync and fdatasync are recorded and not carried out: the model keeps their promises.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The numbers are those of operations.ts. */
enum { CREATE = 1, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK, MKDIR, RMDIR, TAKE, UNSUPPORTED };

struct header {
  uint32_t operation;
  uint32_t first_length;
  uint32_t second_length;
  uint32_t data_length;
  uint64_t inode;
  uint64_t number; /* an offset, a size, or a mode */
  uint64_t seconds, nanoseconds; /* the change time of the inode after the call */
};

#define FDS_MAX 65536
#define WAITING_MAX 64

static long (*real_syscall)(long, ...);
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
static unsigned char is_ours[FDS_MAX];

/* The cut: the kind of call, and the number of calls of that kind. */
static char cut_kind[32];
static long cut_number;
static long calls, syncs, calls_since_name = -1;

/* The reader takes files away some calls after they got their names. */
static char reader_from[PATH_MAX], reader_to[PATH_MAX];
static long reader_after;
static int reader_syncs;
static struct { char path[PATH_MAX]; long due; } waiting[WAITING_MAX];
static int waiting_count;
static long taken_count;

/*
 * A disk that lost its power still has its inodes and their change times; one that was made again has others. So a program that
 * stats a file gets those from before the loss, until the file changes.
 */
struct identity {
  uint64_t inode, seconds, nanoseconds;
  uint64_t told_inode, told_seconds, told_nanoseconds;
};
static struct identity *identities;
static size_t identity_count;

static void read_identities(const char *path) {
  FILE *file = path ? fopen(path, "re") : NULL;
  struct identity one;
  if (file == NULL) return;
  while (fscanf(file, "%lu %lu %lu %lu %lu %lu", &one.inode, &one.seconds, &one.nanoseconds, &one.told_inode, &one.told_seconds, &one.told_nanoseconds) == 6) {
    identities = realloc(identities, (identity_count + 1) * sizeof one);
    identities[identity_count++] = one;
  }
  fclose(file);
}

static void tell_identity(struct statx *found) {
  for (size_t at = 0; at < identity_count; at++) {
    struct identity *one = &identities[at];
    if (one->inode != found->stx_ino) continue;
    found->stx_ino = one->told_inode;
    if (one->seconds != (uint64_t)found->stx_ctime.tv_sec || one->nanoseconds != found->stx_ctime.tv_nsec) return;
    found->stx_ctime.tv_sec = one->told_seconds;
    found->stx_ctime.tv_nsec = one->told_nanoseconds;
    return;
  }
}

/* A file that is made now may get the inode of one that was removed. */
static void forget_identity(uint64_t inode) {
  for (size_t at = 0; at < identity_count; at++)
    if (identities[at].inode == inode) identities[at] = identities[--identity_count];
}

static void set(char *to, const char *name) {
  const char *value = getenv(name);
  snprintf(to, PATH_MAX, "%s", value ? value : "");
}

static void init(void) {
  static int done;
  if (done) return;
  done = 1;
  real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  real_mmap = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  set(root, "POWER_LOSS_ROOT");
  root_length = strlen(root);
  set(reader_from, "POWER_LOSS_READER_FROM");
  set(reader_to, "POWER_LOSS_READER_TO");
  if (getenv("POWER_LOSS_READER_AFTER")) reader_after = atol(getenv("POWER_LOSS_READER_AFTER"));
  reader_syncs = getenv("POWER_LOSS_READER_SYNCS") != NULL;
  if (getenv("POWER_LOSS_CUT")) sscanf(getenv("POWER_LOSS_CUT"), "%31[a-z-]:%ld", cut_kind, &cut_number);
  read_identities(getenv("POWER_LOSS_IDENTITIES"));
  const char *log = getenv("POWER_LOSS_LOG");
  if (root_length && log) {
    log_fd = real_syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0) abort();
    /* A high number, which no program expects among its files. */
    int high = real_syscall(SYS_fcntl, log_fd, F_DUPFD_CLOEXEC, 900);
    if (high >= 0) { real_syscall(SYS_close, log_fd); log_fd = high; }
  }
}

__attribute__((constructor)) static void start(void) { init(); }

static void put_all(const struct iovec *parts, int count) {
  struct iovec left[4];
  memcpy(left, parts, count * sizeof *parts);
  for (int at = 0; at < count;) {
    long written = real_syscall(SYS_writev, log_fd, left + at, count - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) abort();
    while (at < count && written >= (long)left[at].iov_len) written -= left[at++].iov_len;
    if (at < count) { left[at].iov_base = (char *)left[at].iov_base + written; left[at].iov_len -= written; }
  }
}

/* The rights and change time of the file of the last call. A removal leaves no file, so it gets the time of day. */
static mode_t rights;
static struct timespec changed;

static void note(int operation, uint64_t inode, uint64_t number, const char *first, const char *second, const void *data, size_t length) {
  struct header header = { operation, first ? strlen(first) : 0, second ? strlen(second) : 0, length, inode, number, changed.tv_sec, changed.tv_nsec };
  struct iovec parts[4] = { { &header, sizeof header }, { (void *)first, header.first_length }, { (void *)second, header.second_length }, { (void *)data, length } };
  put_all(parts, 4);
}

static void die(void) {
  real_syscall(SYS_kill, real_syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

static int is_cut(const char *kind, long count) { return count == cut_number && strcmp(cut_kind, kind) == 0; }

/* Called with the lock before each recorded call. */
static void before_call(int is_sync) {
  calls++;
  if (calls_since_name >= 0) calls_since_name++;
  if (is_sync) syncs++;
  if (is_cut("call", calls) || is_cut("named", calls_since_name)) die();
  if (is_sync && is_cut("before-sync", syncs)) die();
}

/* Both record the rights and the change time too. */
static uint64_t inode_at(const char *path) {
  struct stat found;
  real_syscall(SYS_clock_gettime, CLOCK_REALTIME, &changed);
  if (real_syscall(SYS_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  changed = found.st_ctim;
  rights = found.st_mode & 07777;
  return found.st_ino;
}

static uint64_t inode_of(int fd) {
  struct stat found;
  real_syscall(SYS_clock_gettime, CLOCK_REALTIME, &changed);
  if (real_syscall(SYS_fstat, fd, &found) != 0) return 0;
  changed = found.st_ctim;
  rights = found.st_mode & 07777;
  return found.st_ino;
}

static void take(const char *path) {
  char copy[PATH_MAX + 64];
  static char bytes[1 << 20];
  const char *name = strrchr(path, '/') + 1;
  int from = real_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
  if (from < 0) return;
  snprintf(copy, sizeof copy, "%s/%d-%ld-%s", reader_to, (int)real_syscall(SYS_getpid), ++taken_count, name);
  int to = real_syscall(SYS_openat, AT_FDCWD, copy, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (to < 0) abort();
  for (long length; (length = real_syscall(SYS_read, from, bytes, sizeof bytes)) > 0;)
    if (real_syscall(SYS_write, to, bytes, length) != length) abort();
  real_syscall(SYS_close, from);
  real_syscall(SYS_close, to);
  if (real_syscall(SYS_unlinkat, AT_FDCWD, path, 0) != 0) abort();
  inode_at(path);
  note(TAKE, 0, reader_syncs, path, copy, NULL, 0);
}

/* Called with the lock after each recorded call. */
static void after_call(int is_sync) {
  for (int at = 0; at < waiting_count;) {
    if (waiting[at].due > calls) { at++; continue; }
    take(waiting[at].path);
    waiting[at] = waiting[--waiting_count];
  }
  if (is_sync && is_cut("after-sync", syncs)) die();
}

/* A file got a name in the reader's folder; the reader ignores names that begin with a dot. */
static void named(const char *path) {
  size_t length = strlen(reader_from);
  if (length == 0 || strncmp(path, reader_from, length) != 0 || path[length] != '/') return;
  if (path[length + 1] == '.' || strchr(path + length + 1, '/')) return;
  if (calls_since_name < 0) calls_since_name = 0;
  if (reader_to[0] == 0 || waiting_count == WAITING_MAX) return;
  snprintf(waiting[waiting_count].path, PATH_MAX, "%s", path);
  waiting[waiting_count++].due = calls + reader_after;
}

/* The whole path when it is under the root, or else NULL. */
static const char *ours(const char *path, char *buffer) {
  init();
  if (log_fd < 0 || path == NULL) return NULL;
  if (path[0] == '/') snprintf(buffer, PATH_MAX, "%s", path);
  else {
    char cwd[PATH_MAX];
    if (real_syscall(SYS_getcwd, cwd, sizeof cwd) < 0) return NULL;
    while (path[0] == '.' && path[1] == '/') path += 2;
    if (snprintf(buffer, PATH_MAX, "%s/%s", cwd, path) >= PATH_MAX) return NULL;
  }
  if (strncmp(buffer, root, root_length) != 0) return NULL;
  return buffer[root_length] == '/' || buffer[root_length] == 0 ? buffer : NULL;
}

static int our_fd(int fd) { return fd >= 0 && fd < FDS_MAX && is_ours[fd]; }

#define LOCK pthread_mutex_lock(&one_at_a_time)
#define UNLOCK do { int kept = errno; pthread_mutex_unlock(&one_at_a_time); errno = kept; } while (0)

static int open_at(int at, const char *path, int flags, mode_t mode) {
  char whole[PATH_MAX];
  const char *own = at == AT_FDCWD || (path && path[0] == '/') ? ours(path, whole) : NULL;
  if (own == NULL) return real_syscall(SYS_openat, at, path, flags, mode);
  int changes = flags & (O_CREAT | O_TRUNC);
  LOCK;
  if (changes) before_call(0);
  int existed = inode_at(own) != 0;
  int fd = real_syscall(SYS_openat, at, path, flags, mode);
  if (fd >= 0 && fd < FDS_MAX) is_ours[fd] = 1;
  if (fd >= 0 && changes) {
    if (!existed) {
      uint64_t inode = inode_of(fd);
      forget_identity(inode);
      note(CREATE, inode, rights, own, NULL, NULL, 0);
      named(own);
    }
    else if (flags & O_TRUNC) note(TRUNCATE, inode_of(fd), 0, NULL, NULL, NULL, 0);
  }
  if (changes) after_call(0);
  UNLOCK;
  return fd;
}

#define MODE_OF(flags) ({ mode_t mode = 0; if ((flags) & O_CREAT) { va_list more; va_start(more, flags); mode = va_arg(more, int); va_end(more); } mode; })
int open(const char *path, int flags, ...) { init(); return open_at(AT_FDCWD, path, flags, MODE_OF(flags)); }
int open64(const char *path, int flags, ...) { init(); return open_at(AT_FDCWD, path, flags, MODE_OF(flags)); }
int openat(int at, const char *path, int flags, ...) { init(); return open_at(at, path, flags, MODE_OF(flags)); }
int openat64(int at, const char *path, int flags, ...) { init(); return open_at(at, path, flags, MODE_OF(flags)); }
int creat(const char *path, mode_t mode) { init(); return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int fd) {
  init();
  if (fd == log_fd) { errno = EBADF; return -1; }
  if (fd >= 0 && fd < FDS_MAX) is_ours[fd] = 0;
  return real_syscall(SYS_close, fd);
}

/* Joins the parts; only the bytes that the file system accepted are recorded. */
static long written(int fd, const struct iovec *parts, int count, off_t offset) {
  size_t whole = 0, at = 0;
  for (int part = 0; part < count; part++) whole += parts[part].iov_len;
  char *bytes = malloc(whole ? whole : 1);
  for (int part = 0; part < count; at += parts[part++].iov_len) memcpy(bytes + at, parts[part].iov_base, parts[part].iov_len);
  LOCK;
  before_call(0);
  off_t start = offset;
  if (offset < 0) {
    start = real_syscall(SYS_lseek, fd, 0, SEEK_CUR);
    if (real_syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) start = real_syscall(SYS_lseek, fd, 0, SEEK_END);
  }
  long length = offset < 0 ? real_syscall(SYS_write, fd, bytes, whole) : real_syscall(SYS_pwrite64, fd, bytes, whole, offset);
  if (length > 0) note(WRITE, inode_of(fd), start, NULL, NULL, bytes, length);
  after_call(0);
  UNLOCK;
  free(bytes);
  return length;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  init();
  if (!our_fd(fd)) return real_syscall(SYS_write, fd, bytes, length);
  return written(fd, &(struct iovec){ (void *)bytes, length }, 1, -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  init();
  return our_fd(fd) ? written(fd, parts, count, -1) : real_syscall(SYS_writev, fd, parts, count);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  init();
  if (!our_fd(fd)) return real_syscall(SYS_pwrite64, fd, bytes, length, offset);
  return written(fd, &(struct iovec){ (void *)bytes, length }, 1, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  init();
  return our_fd(fd) ? written(fd, parts, count, offset) : real_syscall(SYS_pwritev, fd, parts, count, offset, 0L);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev64(fd, parts, count, offset); }

int ftruncate64(int fd, off_t size) {
  init();
  if (!our_fd(fd)) return real_syscall(SYS_ftruncate, fd, size);
  LOCK;
  before_call(0);
  int result = real_syscall(SYS_ftruncate, fd, size);
  if (result == 0) note(TRUNCATE, inode_of(fd), size, NULL, NULL, NULL, 0);
  after_call(0);
  UNLOCK;
  return result;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int fsync(int fd) {
  init();
  if (!our_fd(fd)) return real_syscall(SYS_fsync, fd);
  LOCK;
  before_call(1);
  uint64_t inode = inode_of(fd);
  if (inode != 0) note(SYNC, inode, 0, NULL, NULL, NULL, 0);
  after_call(1);
  UNLOCK;
  if (inode == 0) { errno = EBADF; return -1; }
  return 0;
}
int fdatasync(int fd) { return fsync(fd); }

/* A call on one or two paths, of which at least one is under the root. */
static int on_paths(int operation, long number, const char *first, const char *second, mode_t mode) {
  char one[PATH_MAX], two[PATH_MAX];
  const char *own = ours(first, one), *other = second ? ours(second, two) : NULL;
  const char *last = second ? second : first;
  int is_recorded = own != NULL || other != NULL;
  if (is_recorded) { LOCK; before_call(0); }
  if (is_recorded && second && (own == NULL || other == NULL)) note(UNSUPPORTED, 0, number, first, second, NULL, 0);
  int result;
  if (operation == RENAME) result = real_syscall(SYS_renameat, AT_FDCWD, first, AT_FDCWD, second);
  else if (operation == LINK) result = real_syscall(SYS_linkat, AT_FDCWD, first, AT_FDCWD, second, 0);
  else if (operation == MKDIR) result = real_syscall(SYS_mkdirat, AT_FDCWD, first, mode);
  else result = real_syscall(SYS_unlinkat, AT_FDCWD, first, operation == RMDIR ? AT_REMOVEDIR : 0);
  if (is_recorded) {
    if (result == 0) {
      uint64_t inode = inode_at(second ? second : first);
      if (operation == MKDIR) forget_identity(inode);
      note(operation, operation == MKDIR ? inode : 0, rights, own, other, NULL, 0);
      if (operation == RENAME || operation == LINK) named(other ? other : last);
    }
    after_call(0);
    UNLOCK;
  }
  return result;
}

int rename(const char *from, const char *to) { return on_paths(RENAME, SYS_renameat, from, to, 0); }
int link(const char *from, const char *to) { return on_paths(LINK, SYS_linkat, from, to, 0); }
int unlink(const char *path) { return on_paths(UNLINK, SYS_unlinkat, path, NULL, 0); }
int mkdir(const char *path, mode_t mode) { return on_paths(MKDIR, SYS_mkdirat, path, NULL, mode); }
int rmdir(const char *path) { return on_paths(RMDIR, SYS_unlinkat, path, NULL, 0); }
int remove(const char *path) {
  struct stat found;
  init();
  int is_folder = real_syscall(SYS_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode);
  return is_folder ? rmdir(path) : unlink(path);
}

/* Reports a call that cannot be recorded, so that no test trusts an incomplete record. */
static void unsupported(long number, const char *path) {
  LOCK;
  note(UNSUPPORTED, 0, number, path, NULL, NULL, 0);
  UNLOCK;
}

/* Writes through mapped memory are not recorded; SQLite's shared memory (-shm) is made anew after a crash. */
void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
  init();
  if ((protection & PROT_WRITE) && (flags & MAP_SHARED) && our_fd(fd)) {
    char link_path[64], path[PATH_MAX];
    snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
    long size = real_syscall(SYS_readlinkat, AT_FDCWD, link_path, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    if (size < 4 || strcmp(path + size - 4, "-shm") != 0) unsupported(SYS_mmap, path);
  }
  return real_mmap(at, length, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off_t offset) { return mmap(at, length, protection, flags, fd, offset); }

ssize_t sendfile64(int out, int in, off_t *offset, size_t count) {
  init();
  if (our_fd(out)) unsupported(SYS_sendfile, NULL);
  return real_syscall(SYS_sendfile, out, in, offset, count);
}
ssize_t sendfile(int out, int in, off_t *offset, size_t count) { return sendfile64(out, in, offset, count); }

int mkstemp64(char *pattern) {
  char whole[PATH_MAX];
  if (ours(pattern, whole)) unsupported(SYS_openat, whole);
  int (*real)(char *) = (int (*)(char *))dlsym(RTLD_NEXT, "mkstemp64");
  return real(pattern);
}
char *mkdtemp(char *pattern) {
  char whole[PATH_MAX];
  if (ours(pattern, whole)) unsupported(SYS_mkdirat, whole);
  char *(*real)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
  return real(pattern);
}
int symlink(const char *target, const char *path) {
  char whole[PATH_MAX];
  if (ours(path, whole)) unsupported(SYS_symlinkat, whole);
  return real_syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

int statx(int at, const char *restrict path, int flags, unsigned int mask, struct statx *restrict found) {
  init();
  int result = real_syscall(SYS_statx, at, path, flags, mask, found);
  if (result == 0) tell_identity(found);
  return result;
}

long syscall(long number, ...) {
  long given[6];
  va_list more;
  va_start(more, number);
  for (int at = 0; at < 6; at++) given[at] = va_arg(more, long);
  va_end(more);
  init();
  if (number == SYS_close) return close((int)given[0]); /* libuv closes this way */
  int fd = number == SYS_copy_file_range ? (int)given[2] : (int)given[0];
  int writes = number == SYS_copy_file_range || number == SYS_write || number == SYS_pwrite64 || number == SYS_pwritev ||
               number == SYS_pwritev2 || number == SYS_fallocate;
  if (writes && our_fd(fd)) unsupported(number, NULL);
#ifdef SYS_io_uring_setup
  /* Its writes would bypass every function here. */
  if (number == SYS_io_uring_setup && log_fd >= 0) { errno = ENOSYS; return -1; }
#endif
  long result = real_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  if (number == SYS_statx && result == 0) tell_identity((struct statx *)given[4]);
  return result;
}
