/** The part of plotly's figure that the charts use; its own types know no list of symbols a trace. */
export interface Trace {
  readonly type: 'scatter' | 'bar';
  readonly name: string;
  readonly x: ArrayLike<number | string>;
  readonly y: ArrayLike<number>;
  /** One text per point, in plotly's HTML. A long trace has `textAt` instead. */
  readonly hovertext?: readonly string[];
  readonly textAt?: (index: number) => string;
  /** One pattern for every point, in plotly's d3 formats; wins over the texts. */
  readonly hovertemplate?: string;
  readonly hoverinfo: 'text' | 'skip';
  readonly mode?: 'lines' | 'lines+markers' | 'markers' | 'markers+text';
  /** Beside each point; '' for none. */
  readonly text?: readonly string[];
  readonly textfont?: { readonly color: string; readonly size: number };
  readonly yaxis?: 'y2';
  /** Signs at an edge of the chart, or a limit across it: not a series. */
  readonly meta?: 'signs' | 'limit';
  /** Error bars are drawn only while the series is shown alone: beside others they hide each other. */
  readonly barsAlone?: boolean;
  readonly showlegend?: boolean;
  readonly cliponaxis?: boolean;
  /** Bar width, in the unit of the x axis. */
  readonly width?: number;
  readonly textposition?: 'none' | 'top left';
  readonly line?: { readonly color: string; readonly width: number; readonly dash: string };
  readonly marker?: {
    readonly color?: string;
    readonly size?: number;
    readonly symbol?: string | readonly string[];
    readonly line?: { readonly width: number; readonly color?: string };
  };
  readonly error_y?: {
    readonly type: 'data';
    readonly array: readonly number[];
    readonly arrayminus?: readonly number[];
    readonly symmetric?: boolean;
    readonly color: string;
    readonly thickness: number;
    readonly width: number;
  };
}

export interface Axis {
  readonly type?: 'log' | 'linear' | 'category' | 'date';
  readonly range?: readonly [number, number];
  readonly tickvals?: readonly (number | string)[];
  readonly ticktext?: readonly string[];
  readonly [setting: string]: unknown;
}

export interface ChartLayout {
  readonly xaxis: Axis;
  readonly yaxis: Axis;
  readonly yaxis2?: Axis;
  readonly [setting: string]: unknown;
}
