import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Place, Tracing } from '#base/tracing.ts';
import type { TraceSettings } from '#settings/config.ts';

/**
 * Traces with OpenTelemetry. Nothing of it is global, so two services in one process do not meet. The spans carry names of
 * routes and statements, never addresses, values or bodies.
 */
export function startTracing(settings: TraceSettings, version: string): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: 5_000,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': version,
      // In a container, every process has the id 1.
      'service.instance.id': `${hostname()}/${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('loyalty', version);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  return {
    beginCall(headers) {
      const context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, context);
      const inside = trace.setSpan(context, span);
      return {
        traceId: span.isRecording() ? span.spanContext().traceId : null,
        run: (code) => current.run(inside, code),
        end(name, attributes, failed) {
          span.updateName(name).setAttributes(attributes);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },

    here: () => placeOf(recordedIn(current.getStore())),

    write() {
      const context = current.getStore();
      if (context === undefined || recordedIn(context) === null) return null;
      const carrier: Record<string, string> = {};
      propagator.inject(context, carrier, defaultTextMapSetter);
      return carrier['traceparent'] ?? null;
    },

    step(name, attributes, work) {
      const context = current.getStore();
      if (context === undefined || recordedIn(context) === null) return work();
      return runIn(tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context), context, work);
    },

    shared(name, attributes, places, work) {
      const [first, ...others] = new Set(places.flatMap((place) => (place === null ? [] : [spanOf(place)])));
      // Without a trace of its own, the work would be recorded as a part of whatever call happened to start it.
      if (first === undefined) return current.run(ROOT_CONTEXT, work);
      const options = { attributes, links: others.map((span) => ({ context: span.spanContext() })) };
      const context = trace.setSpan(ROOT_CONTEXT, first);
      const span = tracer.startSpan(name, options, context);
      for (const other of others) if (other.isRecording()) other.addLink({ context: span.spanContext() });
      return runIn(span, context, work);
    },

    later(name, attributes, asked, work) {
      const options: SpanOptions = { kind: SpanKind.CONSUMER, attributes };
      const before =
        asked === null
          ? undefined
          : propagator.extract(ROOT_CONTEXT, { traceparent: asked }, defaultTextMapGetter);
      const cause = before && trace.getSpanContext(before);
      if (cause !== undefined) options.links = [{ context: cause }];
      return runIn(tracer.startSpan(name, options, ROOT_CONTEXT), ROOT_CONTEXT, work);
    },

    async stop() {
      // The receiver of the traces may be away, and nobody waits for them.
      await provider.shutdown().catch(() => {});
    },
  };

  async function runIn<T>(span: Span, context: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await current.run(trace.setSpan(context, span), work);
    } catch (error) {
      // The message may hold values, so only the kind of error is kept.
      const { code, name } = error as { code?: string; name?: string };
      span.setAttribute('error.type', code ?? name ?? 'error').setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}

function recordedIn(context: Context | undefined): Span | null {
  const span = context && trace.getSpan(context);
  return span?.isRecording() === true ? span : null;
}

function placeOf(span: Span | null): Place | null {
  return span as unknown as Place | null;
}

function spanOf(place: Place): Span {
  return place as unknown as Span;
}
