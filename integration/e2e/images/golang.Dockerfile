# Stands for the official golang image: the machine's Go on Debian. The build has
# no network; modules come from a directory that is mounted into it.
FROM localhost/debian
COPY . /usr/local/go
ENV PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOPROXY=file:///modules
