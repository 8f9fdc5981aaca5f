# The service in a container, without a shell or a package manager: docs/install.md.
#
#   docker build --tag loyalty .
#
# Both images are named by tag, for their security updates. To build the same image again, name them by digest:
#   --build-arg BUILD_IMAGE=node@sha256:… --build-arg RUN_IMAGE=gcr.io/distroless/cc-debian13@sha256:…
ARG BUILD_IMAGE=node:26-trixie-slim
ARG RUN_IMAGE=gcr.io/distroless/cc-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /checkout

# The packages first: they change less often than the code, and this layer is then kept.
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY integrations/core/package.json integrations/core/
COPY ui/package.json ui/
COPY portal/package.json portal/
COPY console/package.json console/
COPY bench/package.json bench/
COPY trials/package.json trials/
RUN npm ci --ignore-scripts

COPY . .
RUN npm run build
RUN npm run assemble -- /app --run-by 65532
# Node needs this library, and the image below does not have it.
# For SEAL_PUBLISH=/heads: a volume there gets this folder's owner.
RUN mkdir /heads
RUN mkdir /libraries && cp -L /usr/lib/*-linux-gnu/libatomic.so.1 /libraries/

# C libraries, time zones, certificates and a user without rights. Node comes with the packages, as the lock file names it.
FROM ${RUN_IMAGE}
COPY --from=build /libraries /usr/lib
COPY --from=build /app /app
COPY --from=build --chown=65532:65532 /heads /heads
WORKDIR /app
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/tmp/loyalty \
    ENV_FILE=off
USER 65532:65532
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["/app/node_modules/.bin/node", "/app/server/src/cli/loyalty.js", "healthcheck"]
ENTRYPOINT ["/app/node_modules/.bin/node", "/app/server/src/cli/loyalty.js"]
CMD ["serve"]
