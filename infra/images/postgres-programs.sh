#!/bin/sh
# Copies pg_dump and pg_restore into a folder, with every library that they load and the loader. They then run from
# /opt/postgresql on another base image. Run this script in the image of PostgreSQL.
set -eu
target=$1
mkdir -p "$target/bin" "$target/lib" "$target/licences"

for program in pg_dump pg_restore; do
  # Not the program in /usr/bin, which is Debian's wrapper.
  file=$(ls /usr/lib/postgresql/*/bin/$program /usr/local/bin/$program 2>/dev/null | head -n 1)
  cp "$file" "$target/lib/$program"
  loaded=$(ldd "$file" | grep -o '/[^ ]*')
  for library in $loaded; do cp -L "$library" "$target/lib/"; done
  loader=$(basename "$(ldd "$file" | grep -o '/[^ ]*/ld-[^ ]*')")
  printf '#!/bin/sh\nexec %s/%s --library-path %s %s/%s "$@"\n' \
    /opt/postgresql/lib "$loader" /opt/postgresql/lib /opt/postgresql/lib "$program" >"$target/bin/$program"
  chmod 755 "$target/bin/$program"
  for installed in "$file" $loaded; do
    real=$(readlink -f "$installed")
    # Packages may list files without /usr, if both paths are the same folder.
    package=$(dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}" 2>/dev/null) || continue
    package=${package%%:*}
    cp "/usr/share/doc/$package/copyright" "$target/licences/$package" 2>/dev/null || true
  done
done
