"""Which standard header a name comes from, and which of them a file uses without including it.

Every file includes the standard headers of the names that it uses: what another header happens to include differs from
one compiler, one standard library and one release of LibTorch to the next. This is a check by names, in an instant and
without a compiler; scripts/lint.sh checks the same with clang-tidy's misc-include-cleaner where that is installed.
"""
import re

# Header -> the names of namespace std that it brings.
STANDARD = {
    "algorithm": """all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range fill fill_n find
        find_first_of find_if find_if_not for_each for_each_n generate generate_n includes inplace_merge is_permutation is_sorted
        lexicographical_compare lower_bound make_heap max max_element merge min min_element minmax minmax_element mismatch
        next_permutation none_of nth_element partial_sort partition partition_point pop_heap push_heap remove_copy_if remove_if replace
        replace_if reverse rotate sample search set_difference set_intersection set_union shuffle sort stable_partition
        stable_sort swap_ranges transform unique upper_bound""",
    "array": "array to_array",
    "atomic": "atomic atomic_bool atomic_flag atomic_signal_fence atomic_thread_fence memory_order "
              "memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst",
    "cctype": "isalnum isalpha isdigit isprint ispunct isspace isupper islower tolower toupper isxdigit",
    "cfenv": "feclearexcept fegetenv feholdexcept fenv_t fesetenv fesetround fetestexcept fegetround",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono chrono_literals",
    "clocale": "setlocale localeconv",
    "cmath": """acos asin atan atan2 ceil copysign cos erf exp expm1 fabs float_t floor fma fmod fpclassify frexp hypot isfinite
        isinf isnan isnormal ldexp lgamma llround log log10 log1p log2 lrint lround modf nan nearbyint nextafter pow
        remainder rint round signbit sin sinh sqrt tan tanh tgamma trunc""",
    "complex": "complex",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "csetjmp": "jmp_buf longjmp",
    "csignal": "raise sig_atomic_t signal",
    "cstdarg": "va_list",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t",
    "cstdint": """int16_t int32_t int64_t int8_t int_fast32_t intmax_t intptr_t uint16_t uint32_t uint64_t uint8_t uintmax_t
        uintptr_t""",
    "cstdio": """FILE fclose feof ferror fflush fgets fopen fprintf fputc fputs fread fseek ftell fwrite getchar perror printf
        putchar puts rename setvbuf snprintf sscanf tmpfile vsnprintf""",
    "cstdlib": """_Exit abort aligned_alloc atexit atof atoi atol calloc exit free getenv malloc quick_exit realloc strtod
        strtof strtol strtoll strtoul strtoull system""",
    "cstring": """memchr memcmp memcpy memmove memset strchr strcmp strcpy strerror strlen strncmp strncpy strrchr strsignal
        strstr""",
    "ctime": "clock clock_t ctime gmtime localtime mktime strftime time time_t timespec tm",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr make_exception_ptr rethrow_exception set_terminate terminate "
                 "throw_with_nested uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "basic_filebuf filebuf fstream ifstream ofstream",
    "functional": """bind cref equal_to function greater greater_equal invoke less less_equal logical_or minus mem_fn multiplies negate
        not_fn plus ref reference_wrapper""",
    "future": "async future future_status launch packaged_task promise shared_future",
    "initializer_list": "initializer_list",
    "iomanip": "put_time quoted setfill setprecision setw",
    "iostream": "cerr cin clog cout",
    "iterator": """advance back_insert_iterator back_inserter bidirectional_iterator_tag distance forward_iterator_tag
        front_inserter input_iterator_tag inserter istream_iterator istreambuf_iterator iterator_traits
        make_move_iterator make_reverse_iterator move_iterator next ostream_iterator ostreambuf_iterator output_iterator_tag prev
        random_access_iterator_tag reverse_iterator""",
    "limits": "float_denorm_style numeric_limits",
    "list": "list",
    "locale": "codecvt locale numpunct use_facet",
    "map": "map multimap",
    "memory": """addressof align allocator allocator_traits const_pointer_cast default_delete dynamic_pointer_cast
        enable_shared_from_this make_shared make_unique owner_less shared_ptr static_pointer_cast uninitialized_copy
        unique_ptr weak_ptr""",
    "mutex": "adopt_lock call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock try_to_lock unique_lock",
    "new": "align_val_t bad_alloc bad_array_new_length get_new_handler launder new_handler nothrow set_new_handler",
    "numeric": "accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm partial_sum reduce",
    "optional": "bad_optional_access make_optional nullopt nullopt_t optional",
    "queue": "priority_queue queue",
    "random": """bernoulli_distribution discrete_distribution mt19937 mt19937_64 normal_distribution random_device
        uniform_int_distribution uniform_real_distribution""",
    "regex": """regex regex_constants regex_error regex_match regex_replace regex_search smatch cmatch sregex_iterator
        sregex_token_iterator""",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "sstream": "istringstream ostringstream stringbuf stringstream",
    "stack": "stack",
    "stdexcept": """domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error runtime_error
        underflow_error""",
    "streambuf": "basic_streambuf streambuf",
    "string": """basic_string char_traits getline stod stof stoi stol stold stoll stoul stoull string string_literals to_string
        u16string u32string wstring""",
    "string_view": "basic_string_view string_view string_view_literals u16string_view u32string_view",
    "system_error": "errc error_category error_code error_condition generic_category make_error_code system_category "
                    "system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple ignore make_from_tuple make_tuple tie tuple tuple_cat",
    "type_traits": """add_const_t add_pointer_t bool_constant common_type_t conditional_t decay decay_t enable_if_t false_type
        integral_constant invoke_result_t is_arithmetic_v is_base_of_v is_class_v is_const_v is_convertible_v
        is_copy_assignable_v is_copy_constructible_v is_default_constructible_v is_enum_v is_floating_point_v
        is_integral_v is_invocable_v is_move_assignable_v is_move_constructible_v is_nothrow_move_assignable_v
        is_nothrow_move_constructible_v is_pointer_v is_reference_v is_same_v is_signed_v is_standard_layout_v
        is_trivially_copyable_v is_unsigned_v is_void_v make_signed_t make_unsigned_t remove_const_t remove_cv_t
        remove_cvref_t remove_pointer_t remove_reference_t true_type underlying_type_t void_t""",
    "typeindex": "type_index",
    "typeinfo": "bad_cast type_info",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_multiset unordered_set",
    "utility": """as_const declval exchange forward in_place in_place_index in_place_type index_sequence integer_sequence
        make_index_sequence make_pair move move_if_noexcept pair piecewise_construct swap""",
    "variant": "bad_variant_access get_if holds_alternative monostate variant variant_size_v visit",
    "vector": "vector",
}

# Names that several headers bring, any of which will do.
CONTAINERS = "array deque iterator list map set string string_view unordered_map unordered_set vector regex".split()
SHARED = {
    "abs": ["cmath", "cstdlib"],
    "begin": CONTAINERS, "cbegin": CONTAINERS, "cend": CONTAINERS, "data": CONTAINERS, "empty": CONTAINERS,
    "end": CONTAINERS, "rbegin": CONTAINERS, "rend": CONTAINERS, "size": CONTAINERS,
    "dec": ["ios", "iomanip", "iostream", "ostream", "sstream", "fstream"],
    "endl": ["ostream", "iostream"], "flush": ["ostream", "iostream"],
    "fixed": ["ios"], "hex": ["ios"], "oct": ["ios"], "scientific": ["ios"], "boolalpha": ["ios"],
    "ios": ["ios", "iostream", "fstream", "sstream"], "ios_base": ["ios", "iostream", "fstream", "sstream"],
    "get": ["array", "tuple", "utility", "variant"],
    "hash": ["functional", "memory", "optional", "string", "string_view", "thread", "variant"],
    "istream": ["istream", "iosfwd", "iostream"], "ostream": ["ostream", "iosfwd", "iostream"],
    "ws": ["istream"],
    "iostream": ["iostream", "istream"],
    "remove": ["algorithm", "cstdio"],
    "size_t": ["cstddef", "cstdio", "cstdlib", "cstring", "ctime"],
    "streamsize": ["ios", "iostream", "istream", "ostream"],
    "tuple_element_t": ["array", "tuple", "utility"], "tuple_size": ["array", "tuple", "utility"],
    "tuple_size_v": ["array", "tuple", "utility"],
}

# Header -> the names of POSIX and of Linux that it brings (called as ::name, as all of ours are).
SYSTEM = {
    "dlfcn.h": "dladdr dlclose dlerror dlopen dlsym",
    "fcntl.h": "creat fallocate fcntl open openat posix_fadvise posix_fallocate",
    "malloc.h": "malloc_trim mallopt",
    "poll.h": "poll",
    "pty.h": "forkpty openpty",
    "sched.h": "sched_getaffinity sched_setaffinity",
    "csignal": "kill pthread_sigmask sigaction sigaddset sigemptyset sigprocmask",
    "spawn.h": "posix_spawn posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen "
               "posix_spawn_file_actions_destroy posix_spawn_file_actions_init posix_spawnp",
    "stdio.h": "fileno pclose popen",
    "stdlib.h": "clearenv mkdtemp mkostemp mkstemp realpath setenv unsetenv",
    "string.h": "strsignal",
    "sys/file.h": "flock",
    "sys/ioctl.h": "ioctl",
    "sys/mman.h": "madvise memfd_create mmap mprotect msync munmap",
    "sys/resource.h": "getrlimit getrusage setrlimit",
    "sys/stat.h": "chmod fchmod fstat lstat mkdir mkfifo stat umask",
    "sys/wait.h": "wait wait4 waitpid",
    "time.h": "clock_gettime",
    "unistd.h": """_exit access alarm chdir close dup dup2 execl execv execvp fdatasync fork fsync ftruncate geteuid gethostname
        getpid getppid getuid isatty link lseek pause pipe pipe2 pread pwrite read readlink rmdir symlink sysconf
        truncate unlink write""",
}
SYSTEM_ALTERNATIVES = {
    "csignal": ["csignal", "signal.h"],
    "time.h": ["time.h", "ctime"],
    "rename": ["stdio.h", "cstdio"],
}

MACROS = [
    (re.compile(r"\b(errno|E(ACCES|AGAIN|BADF|DQUOT|EXIST|FBIG|INTR|INVAL|IO|ISDIR|MFILE|NAMETOOLONG|NFILE|NODEV|NOENT|NOMEM|"
                r"NOSPC|NOSYS|NOTDIR|NOTSUP|NOTTY|OVERFLOW|PERM|PIPE|ROFS|WOULDBLOCK))\b"), ["cerrno"]),
    (re.compile(r"\bassert\("), ["cassert"]),
    (re.compile(r"\b(CHAR|INT|LONG|LLONG|UINT)_M(AX|IN)\b"), ["climits"]),
    (re.compile(r"\bPATH_MAX\b"), ["climits"]),
    (re.compile(r"\bEXIT_(SUCCESS|FAILURE)\b"), ["cstdlib"]),
    (re.compile(r"\b(stdin|stdout|stderr|EOF)\b"), ["cstdio"]),
    (re.compile(r"\b(NAN|INFINITY)\b"), ["cmath"]),
    (re.compile(r"\bSIG([A-Z]+|_IGN|_DFL|_ERR)\b"), ["csignal"]),
    (re.compile(r"\bO_(APPEND|CLOEXEC|CREAT|DIRECTORY|NONBLOCK|RDONLY|RDWR|TMPFILE|TRUNC|WRONLY)\b"), ["fcntl.h"]),
    (re.compile(r"\b(STDIN|STDOUT|STDERR)_FILENO\b"), ["unistd.h"]),
    (re.compile(r"\b(PROT|MAP)_(READ|WRITE|FAILED|PRIVATE|SHARED|ANONYMOUS)\b"), ["sys/mman.h"]),
    (re.compile(r"\bRLIMIT_[A-Z]+\b"), ["sys/resource.h"]),
    (re.compile(r"\bRTLD_[A-Z]+\b"), ["dlfcn.h"]),
    (re.compile(r"\bS_IS[A-Z]+\b"), ["sys/stat.h"]),
    (re.compile(r"\bW(IFEXITED|EXITSTATUS|IFSIGNALED|TERMSIG|NOHANG)\b"), ["sys/wait.h"]),
]


def _by_name():
    names = {name: [header] for header, words in STANDARD.items() for name in words.split()}
    names.update(SHARED)
    return names


def _system_by_name():
    names = {name: SYSTEM_ALTERNATIVES.get(header, [header]) for header, words in SYSTEM.items() for name in words.split()}
    names["rename"] = SYSTEM_ALTERNATIVES["rename"]
    return names


STANDARD_NAMES = _by_name()
SYSTEM_NAMES = _system_by_name()

# A comment, a raw string, a string or a character: none of them uses a name. What stands between digits is no quote.
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
                  r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
QUALIFIED = re.compile(r"\bstd::([A-Za-z_]\w*)")
GLOBAL = re.compile(r"(?<![\w>:])::([A-Za-z_]\w*)")


def code_of(text):
    """The text without comments, strings and characters, with its lines where they were."""
    return TEXT.sub(lambda match: "\n" * match.group().count("\n") or " ", text)


def missing_headers(text):
    """(line, name, headers) for each name whose header the text does not include, once a header."""
    included = set(INCLUDE.findall(text))
    code = code_of(text)
    uses = []
    for match in QUALIFIED.finditer(code):
        uses.append((match.start(), "std::" + match.group(1), STANDARD_NAMES.get(match.group(1), [])))
    for match in GLOBAL.finditer(code):
        if match.group(1) in SYSTEM_NAMES:
            uses.append((match.start(), "::" + match.group(1), SYSTEM_NAMES[match.group(1)]))
    for pattern, headers in MACROS:
        match = pattern.search(code)
        if match:
            uses.append((match.start(), match.group().rstrip("("), headers))
    found = []
    reported = set()
    for position, name, headers in sorted(uses):
        if not included.intersection(headers) and (tuple(headers) or name) not in reported:
            reported.add(tuple(headers) or name)
            found.append((code.count("\n", 0, position) + 1, name, headers))
    return found
