/** Something that is wrong, or probably not meant, with a way to mend it. */
export interface Finding {
  /** `problem`: the service cannot work, or not as it should. `warning`: it works, but look at it. */
  readonly level: 'problem' | 'warning';
  /** The subject that was examined. */
  readonly about: Subject;
  /** One sentence. */
  readonly says: string;
  /** One sentence, which says what to do. */
  readonly fix: string;
}

export type Subject =
  | 'configuration'
  | 'process'
  | 'database'
  | 'cluster'
  | 'pooler'
  | 'schema'
  | 'clock'
  | 'time zones'
  | 'disk'
  | 'mail'
  | 'jobs'
  | 'backup'
  | 'books'
  | 'webhooks';

export function problem(about: Subject, says: string, fix: string): Finding {
  return { level: 'problem', about, says, fix };
}

export function warning(about: Subject, says: string, fix: string): Finding {
  return { level: 'warning', about, says, fix };
}
