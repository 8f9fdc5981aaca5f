/** The meaning of a color, in every chart. `reports.css` has the colors. */
export type Tone = 'main' | 'second' | 'soft' | 'out' | 'ending' | 'back' | 'before';

export interface ChartColumn {
  readonly label: string;
  /** For the axis. */
  readonly short: string;
  /** Such as that the day is not over. */
  readonly note?: string;
  /** The day is not over: it is drawn lighter. */
  readonly isRunning?: boolean;
}

export interface ChartSeries {
  readonly label: string;
  readonly look: 'bar' | 'line' | 'area' | 'dashed';
  readonly tone: Tone;
  /** Of single bars, instead of `tone`. */
  readonly tones?: readonly Tone[];
  /** Drawn below zero. */
  readonly isDown?: boolean;
  /** Null where there is nothing to draw, as for days that have not come. */
  readonly values: readonly (number | null)[];
  /** The values in words. */
  readonly says: readonly string[];
}

export interface ChartLook {
  readonly id: string;
  readonly title: string;
  /** A sentence for those who do not see it. */
  readonly about: string;
  readonly columns: readonly ChartColumn[];
  readonly series: readonly ChartSeries[];
  /** Writes a value beside the axis, in few characters. */
  readonly axis: (value: number) => string;
  /** A line of large figures may leave zero out. */
  readonly isFromZero?: boolean;
}
