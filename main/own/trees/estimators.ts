/** Last steps that are exported, with what they answer. `npm run test:trees` tries each. */
export const classifiers: readonly string[] = [
  'DecisionTreeClassifier',
  'ExtraTreesClassifier',
  'GaussianNB',
  'GradientBoostingClassifier',
  'HistGradientBoostingClassifier',
  'LogisticRegression',
  'MLPClassifier',
  'RandomForestClassifier',
];

export const regressors: readonly string[] = [
  'DecisionTreeRegressor',
  'ElasticNet',
  'ExtraTreesRegressor',
  'GradientBoostingRegressor',
  'HistGradientBoostingRegressor',
  'Lasso',
  'LinearRegression',
  'MLPRegressor',
  'RandomForestRegressor',
  'Ridge',
];

/** Steps before the last one. */
export const transformers: readonly string[] = [
  'ColumnTransformer',
  'MaxAbsScaler',
  'MinMaxScaler',
  'Normalizer',
  'OneHotEncoder',
  'PCA',
  'PolynomialFeatures',
  'RobustScaler',
  'SimpleImputer',
  'StandardScaler',
];

/** Libraries whose estimators have a file of their own. */
const ownFiles: readonly (readonly [RegExp, string])[] = [
  [
    /^xgboost\./,
    'Save the booster by itself, as model.save_model("model.ubj"), and the steps before it apart.',
  ],
  [
    /^lightgbm\./,
    'Save the booster by itself, as model.booster_.save_model("model.txt"), and the steps before it apart.',
  ],
  [/^catboost\./, 'Save it as ONNX: model.save_model("model.onnx", format="onnx").'],
];

/** What helps where a file names a type of another library, or a function. */
export const foreignRemedy = (types: readonly string[]): string =>
  ownFiles.find(([name]) => types.some((type) => name.test(type)))?.[1] ??
  'Save the pipeline without it, or convert it where it is loaded: skl2onnx.to_onnx(model, X[:1], options={"zipmap": False}).';
