declare module 'plotly.js/lib/core' {
  const Plotly: {
    register(modules: readonly unknown[]): void;
    react(element: HTMLElement, data: readonly object[], layout: object, config: object): Promise<unknown>;
    purge(element: HTMLElement): void;
    toImage(
      figure: { readonly data: readonly object[]; readonly layout: object },
      options: {
        readonly format: 'svg' | 'png';
        readonly width: number;
        readonly height: number;
        readonly scale?: number;
      },
    ): Promise<string>;
    readonly Fx: {
      hover(
        element: HTMLElement,
        at: { readonly xval: number },
        subplot: string,
        noHoverEvent: boolean,
      ): void;
      unhover(element: HTMLElement): void;
    };
    readonly Plots: { resize(element: HTMLElement): void };
  };
  export default Plotly;
}

declare module 'plotly.js/lib/bar' {
  const bar: unknown;
  export default bar;
}
