/** The part of plotly's figure that the charts use; its own types know no list of symbols a trace. */
export interface Trace {
  readonly type: 'scatter' | 'bar';
  readonly name: string;
  readonly x: readonly (number | string)[];
  readonly y: readonly number[];
  /** One text a point, in plotly's small HTML. */
  readonly hovertext: readonly string[];
  readonly hoverinfo: 'text';
  readonly mode?: 'lines+markers' | 'markers';
  readonly showlegend?: boolean;
  readonly cliponaxis?: boolean;
  readonly textposition?: 'none';
  readonly line?: { readonly color: string; readonly width: number; readonly dash: string };
  readonly marker: {
    readonly color?: string;
    readonly size?: number;
    readonly symbol?: string | readonly string[];
    readonly line?: { readonly width: number; readonly color?: string };
  };
  readonly error_y?: {
    readonly type: 'data';
    readonly array: readonly number[];
    readonly color: string;
    readonly thickness: number;
    readonly width: number;
  };
}

export interface Axis {
  readonly type?: 'log' | 'linear' | 'category';
  readonly range?: readonly [number, number];
  readonly tickvals?: readonly number[];
  readonly ticktext?: readonly string[];
  readonly [setting: string]: unknown;
}

export interface ChartLayout {
  readonly xaxis: Axis;
  readonly yaxis: Axis;
  readonly [setting: string]: unknown;
}
