import type { Given } from '../checked-repository';

/** What becomes of a layout of a repository's model. */
type LayoutOutcome =
  /** Served with its own configuration. */
  | { readonly is: 'served'; readonly shapes?: Record<string, number[]> }
  /** Refused before anything is started, with the place. */
  | {
      readonly is: 'refused';
      readonly message: string;
      /** Below the repository. */
      readonly where: string;
      /** Of the words that Triton prints. */
      readonly triton: string | null;
      /** Its core and its Python backend print them here too; else another backend of Triton's own does. */
      readonly isHere?: true;
    }
  /** Executed by an image of NVIDIA's only. */
  | { readonly is: 'image'; readonly message: string };

export interface Layout {
  /** Of the folder. */
  readonly name: string;
  readonly given: Given;
  /** Models that it is made of. */
  readonly parts?: Readonly<Record<string, Given>>;
  readonly outcome: LayoutOutcome;
}

export const tensors = `input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]
`;
export const whole = `platform: "onnxruntime_onnx"\nmax_batch_size: 8\n${tensors}`;
export const python = `backend: "python"\nmax_batch_size: 8\n${tensors}`;
const twice = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        tensors = [pb_utils.get_input_tensor_by_name(request, "x").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", tensor * 2)]) for tensor in tensors]
`;
export const code = { '1/model.py': twice };
export const net: Given = { config: whole, onnx: {} };
export const fixed = { inputs: [{ name: 'x', shape: [1, 3] }], outputs: [{ name: 'y', shape: [1, 3] }] };

export const step = (model: string, from: string, to: string): string =>
  `{ model_name: "${model}" model_version: -1 input_map { key: "x" value: "${from}" } output_map { key: "y" value: "${to}" } }`;
export const ensemble = (...steps: readonly string[]): Given => ({
  config: `platform: "ensemble"\nmax_batch_size: 8\n${tensors}ensemble_scheduling {\n  step [\n    ${steps.join(',\n    ')}\n  ]\n}\n`,
  files: { '1/.keep': '' },
});

/** The models of a repository with it. */
export const modelsOf = ({ name, given, parts = {} }: Layout): Readonly<Record<string, Given>> => ({
  [name]: given,
  ...parts,
});
