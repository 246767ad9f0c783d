# A static binary in an empty image, as a non-root user. Both base images are arguments, so that a mirror, a pinned
# digest or your own image (.ci/images) can be used without editing this file; the second one needs no shell and no
# libraries.
ARG GO_IMAGE=golang:1.26
ARG BASE_IMAGE=scratch

FROM ${GO_IMAGE} AS build
# For builds behind a private module mirror: --build-arg GOPROXY=…
ARG GOPROXY
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/fichario ./cmd/fichario
# The empty image has neither folder; /data holds the SQLite database and its key file if no PostgreSQL is configured.
RUN mkdir /out/data && mkdir -m 1777 /out/tmp

FROM ${BASE_IMAGE}
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build /out/fichario /fichario
USER 65532:65532
WORKDIR /data
ENV FICHARIO_LISTEN=0.0.0.0:8080
EXPOSE 8080
# Liveness, not readiness: an instance without its database, even from the start, is healthy.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/fichario", "healthcheck"]
ENTRYPOINT ["/fichario"]
CMD ["serve"]
