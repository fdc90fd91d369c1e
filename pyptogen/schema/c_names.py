"""Names that C++ and C's headers have: no function or variable of generated C++ may take one of them.

A kernel is a function of C named after its stage, and headers of PTO-ISA bring declarations of the C, POSIX and
mathematics libraries with them.
"""

from __future__ import annotations

import re

_WORDS = (
    "a64l abort abs accept access acct acos acosh adjtime alarm aligned_alloc alloca argz asctime asin asinh atan "
    "atan2 atanh atexit atof atoi atol atoll basename bcmp bcopy bind brk bsearch btowc bzero calloc "
    "canonicalize_file_name cbrt ceil chdir chmod chown chroot clearenv clearerr clock clone close close_range "
    "closedir closefrom confstr connect copy_file_range copysign cos cosh creat crypt ctermid ctime cuserid daemon "
    "daylight difftime div dlclose dlerror dlopen dlsym drem dup dup2 dup3 duplocale dysize eaccess ecvt encrypt "
    "endusershell environ envz epoll erf erfc err error errx euidaccess execveat exit exp exp10 exp2 explicit_bzero "
    "expm1 fabs faccessat fchdir fchown fchownat fclose fcloseall fcntl fcvt fd_mask fd_set fdatasync fdim fdopen "
    "feof ferror fexecve fflush ffs fgetpos fileno finite flock flockfile floor fma fmax fmemopen fmin fmod fopen "
    "fopencookie fork fpathconf fread free freelocale freopen frexp fseek fseeko fsetpos fstat fsync ftell ftello "
    "ftruncate ftrylockfile fts ftw funlockfile futimes futimesat fwide fwrite gamma gcvt get_current_dir_name getcpu "
    "getcwd getdate getdate_err getdelim getdtablesize getentropy getline getloadavg getopt getpagesize getpass "
    "getpayload getpt getrandom getsubopt getw getwd glob gmtime grantpt group_member gsignal gtty hcreate hdestroy "
    "hsearch hypot iconv ilogb index initstate insque ioctl isatty j0 j1 jn kill killpg l64a labs lchown ldexp ldiv "
    "lfind lgamma link linkat listen llabs lldiv llrint llround localeconv localtime lockf log log10 log1p log2 logb "
    "longjmp lrint lround lsearch lseek lstat lutimes madvise main malloc memfd_create mincore mkdir mktime mlock "
    "mlock2 mlockall mmap modf mount mprotect mremap msync munlock munlockall munmap nan nanosleep nearbyint "
    "newlocale nextafter nextdown nextup nice on_exit open open_memstream open_wmemstream opendir openlog optarg "
    "opterr optind optopt pathconf pause pclose perror pipe pipe2 poll popen pow pow10 prctl pread preadv "
    "process_madvise process_mrelease profil program_invocation_name program_invocation_short_name pselect psiginfo "
    "psignal ptrace ptsname putenv putw pwrite pwritev qecvt qfcvt qgcvt qsort quick_exit raise rand random rawmemchr "
    "read readdir readlink readlinkat readv realloc reallocarray realpath reboot recv regcomp regexec remainder "
    "remap_file_pages remove remque remquo rename renameat renameat2 revoke rewind rindex rint rmdir round roundeven "
    "rpmatch sbrk scalb scalbn secure_getenv select send sendfile sendto setbuf setbuffer setjmp setlinebuf setlocale "
    "setns setstate setvbuf shutdown sin sincos sinh sleep socket splice sqrt srand srandom ssignal stat statfs "
    "stpcpy stpncpy stty swab symlink symlinkat sync syncfs syscall sysconf sysinfo syslog system sysv_signal tan "
    "tanh tcgetpgrp tcsetpgrp tdelete tee tempnam tfind tgamma tgkill time timegm timelocal times timespec_get "
    "timespec_getres timezone tmpfile tmpnam toascii tolower totalorder toupper towctrans towlower towupper trunc "
    "truncate tsearch ttyname ttyslot twalk tzname tzset ualarm uint ulimit ulong umask umount uname unlink unlinkat "
    "unlockpt unsetenv unshare uselocale ushort usleep utimes va_list valloc verr vfork vhangup vmsplice vwarn wait "
    "waitpid warn warnx write writev y0 y1 yn "
)
_KEYWORDS = (
    "alignas alignof and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit export extern float for friend goto if "
    "inline int long mutable namespace new noexcept not_eq nullptr operator or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq "
)
_FUNCTIONS = frozenset(_WORDS.split())
_OF_CPP = frozenset(_KEYWORDS.split())
_FAMILIES = re.compile(
    r"""
    (pthread|sched|sem|shm|timer|posix|pkey|obstack|cookie|clock|u|sa|si|sigev)_\w+
    | \w+_(t|r|l|np|unlocked)
    | (str|wcs|wmem|mem|mbs|mbr|mb|wc|wcr)[a-z0-9]{2,}
    | isw?(alnum|alpha|ascii|blank|cntrl|ctype|digit|finite|graph|inf|lower|nan|print|punct|space|upper|xdigit)
    | v?[adfos]?[sn]?n?w?(printf|scanf)
    | [fu]?n?(get|put)w?[cs](har)?
    | exec[lv]p?e? | mk[a-z]*temps?(64)? | sig[a-z]{3,}
    | [gs]et[a-z]*(id|ids|name|groups|priority|login|usershell|itimer|env|pgrp|timeofday)
    | [a-z]+(48|64) | arc4random\w*
    """,
    re.VERBOSE,
)
_MACROS = re.compile(
    r"[A-Z][A-Z0-9_]+[A-Z0-9]|(SYS_|[LP]_tmp|(si|sa|sigev|sched)_)\w*[a-z0-9]|assert|errno|std(in|out|err)"
)


def is_identifier(name: str) -> bool:
    """Whether ``name`` has the form of one of C: functions are called so, and files of kernels."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def is_keyword(name: str) -> bool:
    """Whether ``name`` is a word of C++ itself; those that Python has too name nothing in a spec."""
    return name in _OF_CPP


def is_c_name(name: str) -> bool:
    """Whether headers may declare ``name``: functions, types and variables of C, POSIX and the mathematics library,
    by name and by the shapes of their families."""
    return name in _FUNCTIONS or _FAMILIES.fullmatch(name) is not None


def is_c_function(name: str) -> bool:
    """Whether no other function can have the ``name``: headers declare one for sure, or it is a word of C++."""
    return name in _FUNCTIONS or is_keyword(name)


def is_macro(name: str) -> bool:
    """Whether ``name`` may be replaced before the compiler sees it. Macros are in capitals, but for a few; none
    ends in an underscore."""
    return _MACROS.fullmatch(name) is not None
