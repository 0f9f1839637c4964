# Makes a man page of a public header: its head comment is the description; the rest is unchanged.
# -v date=... -v version=... -v name=... -v title=...
function literal(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

BEGIN {
    printf ".TH %s 3 \"%s\" \"myblas %s\" \"myblas\"\n", toupper(name), date, version
    printf ".SH NAME\n%s \\- %s\n", name, title
    printf ".SH SYNOPSIS\n.B #include <myblas/%s.h>\n.SH DESCRIPTION\n.nf\n", name
}
/^#(ifndef|define|endif).*_H/ || /^#include/ || /^#ifdef __cplusplus/ { next }
/^extern "C" \{/ { getline; next }
/^\}$/ { getline; next }
{ print literal($0) }
END { print ".fi\n.SH SEE ALSO\n.BR myblas (7)" }
