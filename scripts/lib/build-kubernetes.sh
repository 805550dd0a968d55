#!/bin/bash
# Builds the parts of a Kubernetes cluster from Debian 12's packages: kubernetes (source), golang-1.19 and etcd-server.
# Usage: build-kubernetes.sh FOLDER. Nothing is installed: all of it is in the folder. Takes a few minutes.
set -euo pipefail

folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$folder"
mkdir -p lists/partial root bin home gopath/src/k8s.io
# From where this machine has its packages.
from=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' | head -n 1)
echo "deb-src $from bookworm main" > sources.list
apt=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists")
apt-get "${apt[@]}" -qq update
apt-get "${apt[@]}" -qq source --download-only kubernetes
apt-get -qq download golang-1.19-go golang-1.19-src etcd-server
for package in ./*.deb; do dpkg -x "$package" root; done
cp root/usr/bin/etcd bin/etcd

source=gopath/src/k8s.io/kubernetes
rm -rf "$source" && mkdir "$source"
tar -xzf kubernetes_*.orig.tar.gz -C "$source" --strip-components 1
cd "$source"
version=v$(sed -n '1s/.*really\([0-9.]*\)-.*/\1/p' <(tar -xOf "$folder"/kubernetes_*.debian.tar.xz debian/changelog))

# A container cannot be protected from the out-of-memory killer where the tests run as a root without all capabilities.
sed -i 's/\(defaultSandboxOOMAdj int = \)-998/\10/' pkg/kubelet/dockershim/docker_sandbox.go
sed -i 's/= *-99[0-9]/= 0/' pkg/kubelet/qos/policy.go

export GOROOT="$folder/root/usr/lib/go-1.19" GOPATH="$folder/gopath" GO111MODULE=off GOFLAGS= CGO_ENABLED=0 HOME="$folder/home"
export PATH="$GOROOT/bin:$PATH"
tagged() { grep -rl --include='*.go' '+k8s:openapi-gen=' "$@" | xargs -r -n1 dirname | sort -u; }
# What the tarball leaves out: the descriptions that the API server serves.
openapi() {
  local output=$1
  shift
  "$folder/bin/openapi-gen" --logtostderr -p "k8s.io/kubernetes/$output" -O zz_generated.openapi \
    -h hack/boilerplate/boilerplate.generatego.txt -r /dev/null \
    -i "$(printf 'k8s.io/kubernetes/%s\n' "$@" | paste -sd,)"
}
go build -o "$folder/bin/openapi-gen" k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
mapfile -t served < <(
  tagged pkg cmd plugin
  for part in vendor/k8s.io/*; do
    case $part in */code-generator | */sample-*) ;; *) tagged "$part/" || true ;; esac
  done
)
openapi pkg/generated/openapi "${served[@]}"
mapfile -t aggregated < <(tagged vendor/k8s.io/apimachinery/ vendor/k8s.io/api/core/ vendor/k8s.io/kube-aggregator/)
openapi vendor/k8s.io/kube-aggregator/pkg/generated/openapi "${aggregated[@]}"
mapfile -t extended < <(
  tagged vendor/k8s.io/apimachinery/ vendor/k8s.io/apiextensions-apiserver/ vendor/k8s.io/api/autoscaling/v1/ vendor/k8s.io/api/core/
)
openapi vendor/k8s.io/apiextensions-apiserver/pkg/generated/openapi "${extended[@]}"

named="-X k8s.io/kubernetes/vendor/k8s.io/component-base/version.gitVersion=$version"
named+=" -X k8s.io/kubernetes/vendor/k8s.io/client-go/pkg/version.gitVersion=$version"
for program in kube-apiserver kube-controller-manager kube-scheduler kubelet; do
  go build -ldflags "-s -w $named" -o "$folder/bin/$program" "k8s.io/kubernetes/cmd/$program"
done
# What it was made of: two gigabytes.
cd "$folder" && rm -rf gopath root home lists ./*.deb kubernetes_* sources.list bin/openapi-gen
