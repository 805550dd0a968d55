interface Typed {
  readonly type: string;
}

/** The events of some types. Of a generic type `handlers[event.type](event)` compiles for a table of `ByType`. */
export type OfType<Event extends Typed, Type extends Event['type'] = Event['type']> = {
  readonly [T in Type]: { readonly type: T } & Extract<Event, { readonly type: T }>;
}[Type];

/** A function for every type of event; one that is missing does not compile. */
export type ByType<Event extends Typed, Result, Rest extends readonly unknown[] = []> = {
  readonly [T in Event['type']]: (event: OfType<Event, T>, ...rest: Rest) => Result;
};
