# Makes Doxygen take the public headers' plain comments, and show them as they are laid out.
/^\/\* ----/d
1{
    s|.*|/** @file|
    b
}
2s|^ \*| * <pre>|
s|^/\*|/** <pre>|
s|\([^ ].*\) /\* \(.*\) \*/$|\1 /**< \2 */|
/\/\*\*</!s|\*/$|</pre>*/|
