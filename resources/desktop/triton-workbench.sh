#!/bin/sh
# The one program of a package: the window without arguments, or with a run.yaml or a triton-workbench: address to
# open; anything else is for the command line, which the runtime of the window runs as plain Node.
# NODE_OPTIONS is meant for a Node of the user's own; with ELECTRON_RUN_AS_NODE the window would not open.
unset ELECTRON_RUN_AS_NODE NODE_OPTIONS
app=$(dirname "$(dirname "$(readlink -f "$0")")")

window() {
  if [ "$(id -u)" = 0 ]; then
    echo 'error: The window does not open for root, because Chromium has no sandbox there. Start it as another user; the command line works: triton-workbench --help' >&2
    exit 1
  fi
  exec "$app/triton-workbench" "$@"
}

case "$#:$1" in
  0:)
    if [ -n "$DISPLAY$WAYLAND_DISPLAY" ]; then window; fi
    set -- --help
    ;;
  1:triton-workbench:* | 1:file:*) window "$1" ;;
  1:*.yaml | 1:*.yml) if [ -f "$1" ]; then window "$1"; fi ;;
esac
ELECTRON_RUN_AS_NODE=1 exec "$app/triton-workbench" "$app/resources/app.asar/out/main/cli.cjs" "$@"
