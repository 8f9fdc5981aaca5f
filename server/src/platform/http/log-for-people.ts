import { levels, type DestinationStream } from 'pino';
import pretty from 'pino-pretty';

/** Opens a log on stdout for people: one short line for each event, with the time of day. */
export function openLogForPeople(): DestinationStream {
  return pretty({
    colorize: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    ignore: ['time', 'level', 'requestId', 'commerceId', 'traceId', 'error', 'process', ...CALL].join(','),
    singleLine: true,
    // Nothing that a process wrote before it ended is lost.
    sync: true,
    destination: 1,
    customColors: 'message:reset',
    messageFormat: (line, messageKey, _levelKey, { colors }) => {
      const said = isCall(line) ? writeCall(line, colors) : (line as Record<string, string>)[messageKey]!;
      // Only what is out of the ordinary is named.
      const label = levels.labels[Number(line['level'])] ?? 'info';
      const level = label === 'info' ? '' : `${(LOUD.has(label) ? colors.red : colors.yellow)(label)} `;
      // Which of several processes says it.
      const speaker = line['process'] === undefined ? '' : `[${line['process'] as number}] `;
      return `${colors.gray(`${timeOfDay(String(line['time']))} ${speaker}`)}${level}${said}`;
    },
  });
}

const LOUD: ReadonlySet<string> = new Set(['error', 'fatal']);
const CALL = ['method', 'route', 'status', 'ms'] as const;

/** Returns the time on the clock of this machine, such as 18:04:59. */
function timeOfDay(instant: string): string {
  return new Date(instant).toTimeString().slice(0, 8);
}

interface Call {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** The code of a refusal. */
  readonly error?: string;
}

function isCall(line: object): line is Call {
  return CALL.every((key) => key in line);
}

type Paint = Readonly<Record<'green' | 'yellow' | 'red' | 'gray', (text: string | number) => string>>;

/** Writes a call, such as `401 GET /v1/benefits/list 4 ms missing_credential`. */
function writeCall({ method, route, status, ms, error }: Call, paint: Paint): string {
  const color = status < 400 ? paint.green : status < 500 ? paint.yellow : paint.red;
  return `${color(status)} ${method} ${route} ${paint.gray(`${ms} ms`)}${error === undefined ? '' : ` ${error}`}`;
}
