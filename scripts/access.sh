# How this machine reaches Debian's mirror and PyPI, for a Debian that is made on it. To be sourced.

# debian_sources RELEASE: that release's lines for apt, from where this machine has Debian, security
# updates too; nothing on another system.
debian_sources() {
    here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
        sed -nE "s/^(.*) $here(-[a-z]+)? /\\1 $1\\2 /p" | sort -u
}

apt_options() {
    apt-config dump Acquire | grep -E '^Acquire::(Check-|Retries|https?::(Proxy|Timeout))' || true
}

# pip_options CERTIFICATES: a pip.conf with the certificates of that file.
pip_options() {
    python=$(command -v .venv/bin/python || command -v python3)
    options='index-url|extra-index-url|proxy|trusted-host|timeout|retries'
    printf '[global]\ncert = %s\n' "$1"
    "$python" -m pip config list 2>/dev/null |
        sed -nE "s/^[^.]*\.(default-)?($options)='(.*)'$/\2 = \3/p" |
        awk -F' = ' '{ last[$1] = $0 } END { for (name in last) print last[name] }'
}
