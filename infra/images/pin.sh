#!/bin/sh
# Prints the base images and the other images of Compose with their digests, as lines for infra/compose/.env:
#   infra/images/pin.sh >>infra/compose/.env
# The content of a tag can change; that of a digest cannot. The script needs Docker and queries the registry.
set -eu
cd "$(dirname "$0")/../.."

images() {
  sed -n 's/^ARG \(NODE_IMAGE\)=\(.*\)$/\1 \2/p' infra/images/Dockerfile
  sed -n 's/^ *image: \${\(CADDY_IMAGE\|POSTGRES_IMAGE\|NATS_IMAGE\|PROMETHEUS_IMAGE\|GRAFANA_IMAGE\):-\(.*\)}$/\1 \2/p' infra/compose/compose.yaml
}

images | while read -r name image; do
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  case $digest in
    sha256:*) echo "$name=$image@$digest" ;;
    *) echo "The registry returned no digest of $image." >&2; exit 1 ;;
  esac
done
