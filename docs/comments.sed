# Makes Doxygen take the public headers' plain comments, and show them as they are laid out.
/^\/\* ----/d
1s|^/\*$|/** @file|
s|^/\*|/** <pre>|
2s|^|<pre>|
s|\([^ ].*\) /\* \(.*\) \*/$|\1 /**< \2 */|
/\/\*\*</!s|\*/$|</pre>*/|
