import bar from 'plotly.js/lib/bar';
import Plotly from 'plotly.js/lib/core';

// Scatter belongs to the core. SVG traces only: WebGL ones need `unsafe-eval`.
Plotly.register([bar]);

export { Plotly };
