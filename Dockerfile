# Two images, each with one static program, the certificate authorities, and nothing else:
#
#   docker build --target imap-mcp -t imap-mcp .
#   docker build --target smtp-mcp -t smtp-mcp .
#   docker run -i --rm -e IMAP_HOST -e IMAP_USER -e IMAP_PASSWORD_FILE=/run/secrets/imap imap-mcp
#
# In a container nobody can type at a terminal or see a browser: smtp-mcp asks through the client's form there.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -buildid=" -o /out/ ./cmd/imap-mcp ./cmd/smtp-mcp && mkdir -p /out/state

FROM scratch AS common
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /out/state /state
ENV XDG_STATE_HOME=/state TMPDIR=/state
USER 65532:65532

FROM common AS imap-mcp
COPY --from=build /out/imap-mcp /imap-mcp
ENTRYPOINT ["/imap-mcp"]

FROM common AS smtp-mcp
COPY --from=build /out/smtp-mcp /smtp-mcp
VOLUME /state
ENTRYPOINT ["/smtp-mcp"]
