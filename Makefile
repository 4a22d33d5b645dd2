# confit: every target is one obvious command, and CI calls the same.
# GO, VERSION, SOURCE_DATE_EPOCH and URL may be set: make dist VERSION=1.0.0. Without it the version is what internal/release/version says.

GO      ?= go
GIT     := $(if $(wildcard .git),git,false)
VERSION ?= $(shell ./internal/release/version)
FUZZ    ?= 30s
FOR     ?= 10m
CONFIT  ?= bin/confit
CONFITCTL ?= ../bin/confitctl
KUBECTL_CONFIT ?= ../bin/kubectl-confit
RELEASE  = $(GO) run ./internal/release -version '$(VERSION)' -revision '$(shell $(GIT) rev-parse HEAD 2>/dev/null)' $(if $(URL),-url '$(URL)')

.PHONY: help build confit confitctl kubectl-confit demo quick test check conformance e2e storm bench lint vuln fuzz corpus dist image clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

build: confit ## the static binary, bin/confit

confit:
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o $(CONFIT) .

confitctl: ## the program that goes with it, bin/confitctl
	cd confitctl && CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o $(CONFITCTL) .

kubectl-confit: ## the plugin of kubectl, bin/kubectl-confit; GOOS may be darwin or windows
	cd kubectl-confit && CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o $(KUBECTL_CONFIT) .

demo: confit ## nginx under confit: a good edit, a bad one, the recovery
	./scripts/install-deps nginx:nginx-light
	$(GO) run ./integration/demo bin/confit

quick: ## the tests of what has changed since the last commit, in seconds
	GO='$(GO)' scripts/quick

test: ## what shows that confit works: processes, nginx, the kubelet's writer; as root on Debian
	GO='$(GO)' scripts/suite test nginx:nginx-light strace:strace envsubst:gettext-base /usr/bin/python3:python3-minimal gcc:gcc '/usr/lib/*/libc.a:libc6-dev'

check: ## all other tests: the race detector, daemons, examples, pages; installs what they need
	GO='$(GO)' scripts/suite check --may-remove nginx:nginx-light strace:strace gcc:gcc '/usr/lib/*/libc.a:libc6-dev' \
		apache2:apache2-bin gunicorn:gunicorn haproxy:haproxy '/usr/sbin/php-fpm*:php-fpm' squid:squid unbound:unbound \
		prometheus:prometheus prometheus-alertmanager:prometheus-alertmanager '/usr/lib/postgresql/*/bin/postgres:postgresql' \
		caddy:caddy chronyd:chrony dnsmasq:dnsmasq-base /usr/lib/jvm/default-java/bin/javac:default-jdk-headless keepalived:keepalived \
		lighttpd:lighttpd mariadbd-safe:mariadb-server named:bind9 node:nodejs nsd:nsd rsyslogd:rsyslog stunnel4:stunnel4 tini:tini \
		prometheus-blackbox-exporter:prometheus-blackbox-exporter celery:celery turnserver:coturn icecast2:icecast2 knotd:knot \
		memcached:memcached monit:monit nats-server:nats-server pgbouncer:pgbouncer puma:puma redis-server:redis-server slapd:slapd \
		snmpd:snmpd uvicorn:uvicorn dnsdist:dnsdist exim4:exim4-daemon-light pdns_recursor:pdns-recursor rsync:rsync \
		freeradius:freeradius transmission-daemon:transmission-daemon \
		dumb-init:dumb-init catatonit:catatonit gosu:gosu busybox:busybox s6-setuidgid:s6 \
		envsubst:gettext-base git:git /usr/bin/python3:python3 \
		curl:curl jq:jq kubectl:kubernetes-client openssl:openssl ssh-keygen:openssh-client sshd:openssh-server varnishd:varnish \
		/usr/lib/uwsgi/plugins/python3_plugin.so:uwsgi-plugin-python3 \
		/usr/lib/python3/dist-packages/watchdog/__init__.py:python3-watchdog npm:npm chromium-headless-shell:chromium-headless-shell $(if $(FLUENTD),'/usr/share/rubygems-integration/all/specifications/serverengine-*:ruby-serverengine \
		ruby-cool.io ruby-msgpack ruby-yajl ruby-http-parser.rb ruby-strptime ruby-tzinfo ruby-webrick')

conformance: ## the same questions put to confit, tini, dumb-init and catatonit
	./scripts/install-deps tini:tini dumb-init:dumb-init catatonit:catatonit
	$(GO) test -count=1 -tags conformance ./integration/conformance

e2e: ## the pages and examples on a real Kubernetes node, and make fleet: an hour the first time, then some 22 minutes on two busy cores
	./scripts/install-deps ip:iproute2 runc:runc podman:podman mmdebstrap:mmdebstrap
	$(GO) build -o bin/e2e ./integration/e2e
	bin/e2e
	$(MAKE) fleet

.PHONY: fleet
fleet: export INTEGRATION_APISERVER = $(or $(E2E_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/confit-e2e)/bin
fleet: export INTEGRATION_KUBELET = $(CURDIR)/bin/kubelet
fleet: ## rollouts over 30 replicas, 1,000 waiting gates, labelled pods, and kubectl confit, on a real API server: some 25 minutes on two busy cores
	$(GO) build -o bin/e2e ./integration/e2e
	bin/e2e -programs
	cd integration/kubelet && CGO_ENABLED=0 $(GO) build -o $(INTEGRATION_KUBELET) .
	$(GO) test -count=1 -v -tags fleet -parallel 5 -timeout 30m ./integration/fleet
	$(GO) test -count=1 -v -tags fleet -timeout 30m ./integration/inject
	$(GO) test -count=1 -v -tags fleet -timeout 30m ./integration/rbac
	cd confitctl && $(GO) test -count=1 -v -tags fleet -timeout 30m -run 'TestAPIServer|TestThousandWaiters' ./cli ./fleet
	cd kubectl-confit && $(GO) test -count=1 -v -tags fleet -timeout 30m -run TestAPIServer ./apply ./cli
	cd confitctl && $(GO) test -count=1 -timeout 30m -run Mutations ./rollout -mutations

.PHONY: environments
environments: ## where confit runs: runtimes, gVisor, a stock kernel, file systems, machines; ONLY= for one of them: half an hour
	./scripts/install-deps runc:runc crun:crun podman:podman catatonit:catatonit newuidmap:uidmap fuse-overlayfs:fuse-overlayfs mkfs.xfs:xfsprogs \
		mkfs.btrfs:btrfs-progs mksquashfs:squashfs-tools mmdebstrap:mmdebstrap qemu-system-x86_64:qemu-system-x86 \
		qemu-s390x-static:qemu-user-static tini-static:tini
	cd integration/kubelet && CGO_ENABLED=0 $(GO) build -o $(CURDIR)/bin/kubelet .
	cd integration/environments/gvisor && CGO_ENABLED=0 $(GO) build -o $(CURDIR)/bin/runsc gvisor.dev/gvisor/runsc
	CGO_ENABLED=0 $(GO) build -o bin/environments ./integration/environments
	bin/environments -only '$(ONLY)' -page docs/environments.md -kubelet $(CURDIR)/bin/kubelet -runsc $(CURDIR)/bin/runsc

storm: ## faults at random for FOR=10m, in an order that SEED decides, and a reader that watches
	cd integration/kubelet && CGO_ENABLED=0 $(GO) build -o $(CURDIR)/bin/kubelet .
	INTEGRATION_KUBELET=$(CURDIR)/bin/kubelet $(GO) test -count=1 -v -tags check -timeout 0 -run 'TestStorm$$' ./integration/storm -args -for $(FOR) $(if $(SEED),-seed $(SEED)) $(if $(CLOCK),-clock)

bench: confit ## the budgets, and what people would pick instead; ONLY=start,idle for some: cold some ten minutes more, to build that
	./scripts/install-deps tini:tini dumb-init:dumb-init catatonit:catatonit inotifywait:inotify-tools gcc:gcc '/usr/lib/*/libc.a:libc6-dev'
	mkdir -p bin/peers
	cc -O2 -static -o bin/peers/floor-c integration/bench/testdata/floor.c
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/peers/floor-go ./integration/bench/floor
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/peers/empty ./integration/bench/empty
	cd integration/bench/peers && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o $(CURDIR)/bin/peers/ tool
	$(GO) run ./integration/bench -only '$(ONLY)' bin/confit

lint: ## gofmt, vet and staticcheck, as .golangci.yml explains, the rendered example, and the workflows
	test -z "$$(gofmt -l .)"
	GOARCH=arm $(GO) vet . ./config ./linker/... ./notify ./process ./signals ./status ./supervisor # types differ where a word has 32 bits
	$(GO) vet -tags conformance ./integration/conformance
	$(GO) vet -tags fleet ./integration/fleet ./integration/inject ./integration/rbac
	for module in confitctl kubectl-confit; do (cd $$module && $(GO) vet -tags fleet ./...) || exit 1; done
	for module in kubelet conformance/goreap daemons/coredns watchers/apps; do (cd integration/$$module && $(GO) vet ./...) || exit 1; done
	for os in darwin windows; do (cd kubectl-confit && GOOS=$$os $(GO) vet ./...) || exit 1; done # where kubectl runs, too
	for module in . confitctl kubectl-confit; do (cd $$module && $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...) || exit 1; done
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes= .github/workflows/*.yml
	$(GO) run sigs.k8s.io/kustomize/kustomize/v5@v5.8.1 build examples/kustomize/web | diff examples/kustomize/rendered.yaml -

vuln: ## known vulnerabilities in what is linked; asks vuln.go.dev
	for module in . confitctl kubectl-confit; do (cd $$module && $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./...) || exit 1; done

fuzz: ## each fuzz test for FUZZ=30s, from the corpus that is kept, and the longest of make test at length
	GO='$(GO)' scripts/fuzz $(FUZZ) bin/corpus

corpus: ## keep what make fuzz has found
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C bin/corpus --exclude ./log -c . | gzip -9n >scripts/testdata/corpus.tar.gz

dist image: export SOURCE_DATE_EPOCH ?= $(or $(shell $(GIT) log -1 --format=%ct 2>/dev/null),0)

dist: ## what is handed out: binaries, archives, licences, bills of materials, krew's manifest, checksums
	$(RELEASE)
	$(RELEASE) -again

image: ## OCI archives of confit and confitctl, of the binaries of make dist
	$(RELEASE) -images
	./internal/release/copyfrom.sh dist

clean: ## remove what the targets made
	rm -rf bin dist
