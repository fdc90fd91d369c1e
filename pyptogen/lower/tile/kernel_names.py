"""Names of kernels, which are functions of C: none may be one that a header or the orchestration has."""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.partition import KernelOps

_WORDS = (
    "abort abs accept access acct acos acosh adjtime alarm argz asctime asin asinh asprintf assert atan atan2 atanh "
    "atexit atof atoi atol atoll basename bcmp bcopy bind brk bsearch btowc bzero calloc cbrt ceil chdir chmod "
    "chown chroot clearenv clearerr clock clone close closedir closefrom confstr connect copysign cos cosh creat "
    "crypt ctermid ctime cuserid daemon daylight difftime div dlclose dlerror dlopen dlsym dprintf drem dup dup2 "
    "dup3 duplocale dysize eaccess ecvt encrypt endusershell environ envz epoll erf erfc err errno error errx "
    "euidaccess execl execle execlp execv execve execveat execvp execvpe exit exp exp10 exp2 explicit_bzero expm1 "
    "fabs faccessat fchdir fchown fchownat fclose fcloseall fcntl fcvt fdatasync fdim fdopen feof ferror fexecve "
    "fflush ffs fileno finite flock flockfile floor fma fmax fmemopen fmin fmod fopen fopencookie fork fpathconf "
    "fprintf fread free freelocale freopen frexp fscanf fseek fseeko fsetpos fstat fsync ftell ftello ftruncate "
    "ftrylockfile fts ftw funlockfile futimes futimesat fwide fwprintf fwrite fwscanf gamma gcvt getc getchar "
    "getcpu getcwd getdate getdelim getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups "
    "gethostid gethostname getitimer getline getloadavg getlogin getopt getpagesize getpass getpayload getpgid "
    "getpgrp getpid getppid getpt getrandom getresgid getresuid getsid getsubopt gettid gettimeofday getuid "
    "getusershell getw getwc getwchar getwd glob gmtime grantpt gsignal gtty hcreate hdestroy hsearch hypot iconv "
    "ilogb index initstate insque ioctl isalnum isalpha isascii isatty isblank iscntrl isctype isdigit isfinite "
    "isgraph isinf islower isnan isprint ispunct isspace isupper isxdigit j0 j1 jn kill killpg labs lchown ldexp "
    "ldiv lfind lgamma link linkat listen llabs lldiv llrint llround localeconv localtime lockf log log10 log1p "
    "log2 logb longjmp lrint lround lsearch lseek lstat lutimes madvise main malloc mblen mbrlen mbrtowc mbsinit "
    "mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmem memmove mempcpy memset mincore mkdir "
    "mkdtemp mkostemp mkostemps mkstemp mkstemps mktemp mktime mlock mlockall mmap modf mount mprotect mremap msync "
    "munlock munlockall munmap nan nanosleep nearbyint newlocale nextafter nextdown nextup nice open opendir "
    "openlog optarg opterr optind optopt pathconf pause pclose perror pipe poll popen pow pow10 prctl pread preadv "
    "printf profil pselect psiginfo psignal ptrace ptsname putc putchar putenv puts putw putwc putwchar pwrite "
    "pwritev qecvt qfcvt qgcvt qsort raise rand random rawmemchr read readdir readlink readlinkat readv realloc "
    "reallocarray realpath reboot recv regcomp regexec remainder remove remque remquo rename renameat revoke rewind "
    "rindex rint rmdir round roundeven rpmatch sbrk scalb scalbn scanf select send sendfile sendto setbuf setbuffer "
    "setdomainname setegid setenv seteuid setgid sethostid sethostname setitimer setjmp setlinebuf setlocale "
    "setlogin setns setpgid setpgrp setregid setresgid setresuid setreuid setsid setstate settimeofday setuid "
    "setusershell setvbuf shutdown sigmask signal sin sincos sinh sleep snprintf socket splice sprintf sqrt srand "
    "srandom sscanf ssignal stat statfs stderr stdin stdout stpcpy stpncpy strcasecmp strcat strchr strcmp strcoll "
    "strcpy strcspn strdup strerror strfromd strfromf strfroml strftime strlen strncasecmp strncat strncmp strncpy "
    "strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strxfrm stty swab swprintf swscanf "
    "symlink symlinkat sync syncfs syscall sysconf sysinfo syslog system tan tanh tcgetpgrp tcsetpgrp tdelete tee "
    "tempnam tfind tgamma tgkill time timegm timelocal times timezone tmpfile tmpnam toascii tolower totalorder "
    "toupper trunc truncate tsearch ttyname ttyslot twalk tzname tzset ualarm ulimit umask umount uname ungetc "
    "ungetwc unlink unlinkat unlockpt unsetenv unshare uselocale usleep utimes valloc vasprintf vdprintf verr vfork "
    "vfprintf vfscanf vhangup vmsplice vprintf vscanf vsnprintf vsprintf vsscanf vwarn vwprintf vwscanf wait "
    "waitpid warn warnx wcpcpy wcpncpy wcrtomb wctob wctomb wctrans wctype wcwidth wprintf write writev wscanf y0 "
    "y1 yn "
)
_C_LIBRARY = frozenset(_WORDS.split())
"""Functions of C, POSIX and the mathematics library that headers of PTO-ISA declare or compilers call unasked."""
_ORCHESTRATION = frozenset(
    {"args", "begin", "blocks_for", "cube", "fewer", "mixed", "range_of", "rt", "scope", "segment", "size", "vector"}
)
"""Names of the orchestration, which calls the kernels from where these are seen."""


def free_name(ops: KernelOps, program: Program) -> KernelOps:
    """``ops``, called ``select_kernel`` where its stage is called ``select``.

    A stage by hand keeps its name: the text of its kernel may have it.
    """
    if ops.by_hand or ops.name not in _C_LIBRARY | _ORCHESTRATION:
        return ops
    taken = {value.name for value in program.inputs} | {dim.name for dim in program.dims}
    taken |= {op.result.name for op in program.ops} | {op.stage for op in program.ops}
    taken |= {name for name, _ in program.outputs} | {attr.name for attr in program.attrs}
    name = f"{ops.name}_kernel"
    while name in taken:
        name += "_"
    return replace(ops, name=name)
