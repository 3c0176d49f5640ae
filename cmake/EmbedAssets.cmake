# cmake -DOUTPUT=FILE.cpp -DCSS=FILE -DJS=FILE -P EmbedAssets.cmake
# Writes html/page.h's functions: the bytes of the two files, as numbers so that nothing in them can end a literal.
function(embed name file text)
  file(READ "${file}" bytes HEX)
  file(SHA256 "${file}" digest)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," numbers "${bytes}")
  string(REPLACE "'\\x0a'," "'\\x0a',\n    " numbers "${numbers}")
  string(APPEND ${text} "namespace {\nconstexpr char ${name}_bytes[] = {\n    ${numbers}};\n}  // namespace\n\n"
    "std::string_view report_${name}() {\n    return {${name}_bytes, sizeof(${name}_bytes)};\n}\n\n"
    "std::string_view report_${name}_sha256() {\n    return \"${digest}\";\n}\n\n")
  set(${text} "${${text}}" PARENT_SCOPE)
endfunction()

set(code "// Made from src/html/assets by cmake/EmbedAssets.cmake.\n#include \"html/page.h\"\n\nnamespace softalign {\n\n")
embed(css "${CSS}" code)
embed(js "${JS}" code)
string(APPEND code "}  // namespace softalign\n")
file(WRITE "${OUTPUT}" "${code}")
