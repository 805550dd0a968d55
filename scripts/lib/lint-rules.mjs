/** Rules of the lint that no package has; .oxlintrc.json asks for them by `workbench/NAME`. */

const isExtreme = ({ type, computed, object, property }) =>
  type === 'MemberExpression' && !computed && object.name === 'Math' && /^(max|min)$/.test(property.name);

/** `Math.max(...list)` and `Math.min(...list)`. */
const noSpreadExtremes = {
  create: (context) => ({
    CallExpression: ({ callee, arguments: given }) => {
      if (!isExtreme(callee)) return;
      for (const node of given) {
        if (node.type !== 'SpreadElement') continue;
        const message =
          'Use largestOf or smallestOf of main/contract/extremes: a long list overflows the stack.';
        context.report({ node, message });
      }
    },
  }),
};

const wrappings = new Set([
  'ChainExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
]);

function unwrapped(node) {
  if (wrappings.has(node.type)) return unwrapped(node.expression);
  return node.type === 'SequenceExpression' ? unwrapped(node.expressions.at(-1)) : node;
}

/** Whether `void` of it says something: that the answer to a call, or the value of an assignment, is left alone. */
const isDiscarded = ({ type, value }) =>
  type === 'CallExpression' || type === 'AssignmentExpression' || (type === 'Literal' && value === 0);

/** `void` of what nobody calls: typescript/no-meaningless-void-operator looks at calls only. */
const noVoidOfValues = {
  create: (context) => ({
    UnaryExpression: (node) => {
      if (node.operator !== 'void' || isDiscarded(unwrapped(node.argument))) return;
      context.report({
        node,
        message: 'void says that the answer to a call is dropped: leave it out here.',
      });
    },
  }),
};

export default {
  meta: { name: 'workbench' },
  rules: { 'no-spread-extremes': noSpreadExtremes, 'no-void-of-values': noVoidOfValues },
};
