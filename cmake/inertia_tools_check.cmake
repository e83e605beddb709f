# Test the inertials of robot descriptions: `find_package(inertia_tools REQUIRED)`, then
#
#   inertia_tools_check(urdf/robot.urdf.xacro [FILE...] [FAIL_ON error|warning|info] [BASELINE known.json]
#     [IGNORE CODE...] [PACKAGE_PATH DIR...] [XACRO_ARGS NAME=VALUE...] [NAME test_name] [TIMEOUT seconds])
#
# adds one test, which `colcon test` and `ctest` run, with a case a link in its JUnit result. Paths are relative to the
# caller's folder, whose parent is searched for packages, so that package://this_package is found before it is installed.
function(inertia_tools_check)
  cmake_parse_arguments(ARG "" "FAIL_ON;BASELINE;NAME;TIMEOUT" "IGNORE;PACKAGE_PATH;XACRO_ARGS" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "inertia_tools_check() takes at least one file")
  endif()
  set(files "")
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(path "${file}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "inertia_tools_check(): there is no ${path}")
    endif()
    list(APPEND files "${path}")
  endforeach()
  if(NOT ARG_NAME)
    list(GET ARG_UNPARSED_ARGUMENTS 0 first)
    string(MAKE_C_IDENTIFIER "inertials_${first}" ARG_NAME)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()

  set(options "")
  if(ARG_FAIL_ON)
    list(APPEND options --fail-on "${ARG_FAIL_ON}")
  endif()
  if(ARG_BASELINE)
    get_filename_component(baseline "${ARG_BASELINE}" ABSOLUTE)
    list(APPEND options --baseline "${baseline}")
  endif()
  foreach(code IN LISTS ARG_IGNORE)
    list(APPEND options --ignore "${code}")
  endforeach()
  get_filename_component(parent "${CMAKE_CURRENT_SOURCE_DIR}" DIRECTORY)
  foreach(folder IN LISTS ARG_PACKAGE_PATH ITEMS "${parent}")
    get_filename_component(path "${folder}" ABSOLUTE)
    list(APPEND options --package-path "${path}")
  endforeach()
  foreach(argument IN LISTS ARG_XACRO_ARGS)
    list(APPEND options --xacro-arg "${argument}")
  endforeach()

  _inertia_tools_program(program)
  if(COMMAND ament_add_test)
    set(result "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${ARG_NAME}.xunit.xml")
    ament_add_test("${ARG_NAME}"
      COMMAND "${program}" check ${files} ${options} --junit "${result}"
      RESULT_FILE "${result}"
      TIMEOUT "${ARG_TIMEOUT}")
  else()
    add_test(NAME "${ARG_NAME}" COMMAND "${program}" check ${files} ${options}
      --junit "${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.xunit.xml")
    set_tests_properties("${ARG_NAME}" PROPERTIES TIMEOUT "${ARG_TIMEOUT}")
  endif()
  set_property(TEST "${ARG_NAME}" APPEND PROPERTY LABELS inertia_tools)
endfunction()

# The program is that of the installation that this file came with, else the one that the shell finds.
function(_inertia_tools_program result)
  if(NOT INERTIA_TOOLS_PROGRAM)
    find_program(INERTIA_TOOLS_PROGRAM inertia-tools
      HINTS "${inertia_tools_DIR}/../../../lib/inertia_tools" DOC "Command line of inertia_tools")
  endif()
  if(NOT INERTIA_TOOLS_PROGRAM)
    message(FATAL_ERROR "inertia-tools was not found; install it, or set INERTIA_TOOLS_PROGRAM")
  endif()
  set(${result} "${INERTIA_TOOLS_PROGRAM}" PARENT_SCOPE)
endfunction()
