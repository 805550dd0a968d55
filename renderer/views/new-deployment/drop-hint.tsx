/** What can be dropped, while something is dragged over the window. */
export function DropHint() {
  return (
    <div className="drop-hint" aria-hidden="true">
      <p>
        Drop a <strong>model of your own (.onnx)</strong>, a <strong>file of weights</strong>, a{' '}
        <strong>folder with a data set</strong>, or a{' '}
        <strong>run.yaml, runner configuration, environment file or config.pbtxt</strong>
      </p>
    </div>
  );
}
