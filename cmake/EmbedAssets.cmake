# cmake -DOUTPUT=FILE.cpp -DHEADER=html/page.h "-DASSETS=NAME=FILE;..." [-DDIGESTS=ON] -P EmbedAssets.cmake
# Writes the functions that HEADER declares, NAME() for each file: its bytes, as numbers so that nothing in them can end a
# literal; and with DIGESTS NAME_sha256().
set(code "// Made by cmake/EmbedAssets.cmake.\n#include \"${HEADER}\"\n\nnamespace softalign {\n\n")
foreach(asset IN LISTS ASSETS)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${asset}")
  set(name "${CMAKE_MATCH_1}")
  set(file "${CMAKE_MATCH_2}")
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," numbers "${bytes}")
  string(REPLACE "'\\x0a'," "'\\x0a',\n    " numbers "${numbers}")
  string(APPEND code "namespace {\nconstexpr char ${name}_bytes[] = {\n    ${numbers}};\n}  // namespace\n\n"
    "std::string_view ${name}() {\n    return {${name}_bytes, sizeof(${name}_bytes)};\n}\n\n")
  if(DIGESTS)
    file(SHA256 "${file}" digest)
    string(APPEND code "std::string_view ${name}_sha256() {\n    return \"${digest}\";\n}\n\n")
  endif()
endforeach()
string(APPEND code "}  // namespace softalign\n")
file(WRITE "${OUTPUT}" "${code}")
