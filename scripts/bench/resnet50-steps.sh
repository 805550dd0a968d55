#!/usr/bin/env bash
# The same run as `run resnet50 --profile full`, its steps typed by hand: the same verbs of the toolkit with the same
# arguments, one process each, and nothing between them. See common.sh for what it wants.
here=$(dirname "${BASH_SOURCE[0]}")
. "$here/common.sh"

model=(--model-dir "$RESOURCES/models/resnet50" --profile full)
for argument in blocks=3,4,6,3 width=64 classes=1000 classifier_std=0.5 image_size=224 dataset_classes=8 \
  dataset_image_size=256 train_images=0 val_images=4 train_epochs=0; do
  model+=(--arg "$argument")
done
data=("${model[@]}" --dataset "$WORK/dataset" --batch-size 8)
weights=(--checkpoint "$WORK/checkpoint.pt")

tool() { "$PYTHON" -m toolkit "$@" > "$WORK/$1.jsonl" 2> "$WORK/$1.log"; }

prepare_data() {
  tool make-dataset "${model[@]}" --output "$WORK/dataset"
  tool train "${model[@]}" --dataset "$WORK/dataset" --output "$WORK/checkpoint.pt"
}
export_model() {
  tool export "${data[@]}" "${weights[@]}" --format onnx --opset 11 --output "$WORK/exported.onnx"
}
convert() {
  tool convert --format onnx --precision fp32 --input "$WORK/exported.onnx" --output "$WORK/model.onnx"
}
accuracy() {
  tool infer-framework "${data[@]}" "${weights[@]}" --runtime pyt --output-dir "$WORK/framework" --dump-labels
  tool infer-triton "${data[@]}" --precision fp32 --url "127.0.0.1:$GRPC_PORT" --protocol grpc \
    --model-name resnet50 --model-version 1 --output-dir "$WORK/triton" --dump-labels
  tool verify --reference "$WORK/framework" --candidate "$WORK/triton" --atol '*=0.001' --rtol '*=0.001'
  for place in framework triton; do
    tool metrics "${model[@]}" --dataset "$WORK/dataset" --dump-dir "$WORK/$place" \
      --csv "$WORK/metrics-$place.csv"
  done
}
profile_data() {
  tool profile-data "${data[@]}" --precision fp32 --mode random --count 8 \
    --signature '[{"name":"INPUT__0","datatype":"FP32","shape":[-1,3,224,224]}]' --output-dir "$WORK/input"
}

step prepare-data prepare_data
step export export_model
step convert convert
step configure write_repository "$WORK/model.onnx"
step deploy start_server
step accuracy accuracy
step profile-data profile_data
step load load_all
step csv write_csv
step stop stop_server
