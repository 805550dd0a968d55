/** Requests that wait in a Triton, by model. */
export const queueMetric = 'nv_inference_pending_request_count';

/** Requests per second that a pod answers, as an adapter serves the rate of Triton's counter. */
export const rateMetric = 'nv_inference_request_success_per_second';

/** DNS label for all objects of the model, with room for suffixes. */
export function resourceName(model: string): string {
  const name = model
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name === '' ? 'model' : name;
}
