// Whether a figure can show the state that a link brings. A link may be typed, or older than its page.

/**
 * Whether a figure can go from a state to one that is given: each of its fields then shows what it
 * takes, as the fields of the view themselves say it. They are asked before a value is drawn, since
 * the codes of 30 bits would take hours; a value that no field takes yet waits for the others, since
 * a zero point may be 200 as soon as codes have no sign.
 */
export function canShow(view, state, given) {
  let [now, waiting] = [state, Object.entries(given)];
  try {
    while (waiting.length > 0) {
      const fields = fieldsOf(now, [...fieldsIn(view(now))]);
      const [ready, others] = [[], []];
      for (const each of waiting) (isTaken(fields, ...each) ? ready : others).push(each);
      if (ready.length === 0) return false;
      [now, waiting] = [{ ...now, ...Object.fromEntries(ready) }, others];
    }
    return [...fieldsIn(view(now))].every((field) => takes(field, shownIn(field)));
  } catch {
    return false; // it cannot be drawn at all
  }
}

/** The choices, number fields and sliders of a view; handles on its pictures take any place. */
function* fieldsIn(part) {
  if (Array.isArray(part)) for (const each of part) yield* fieldsIn(each);
  if (!part?.props) return;
  const { type, props } = part;
  const isNumber = type === "input" && (props.type === "number" || props.type === "range");
  if (type === "select" || (isNumber && !props.style)) yield { type, ...props };
  yield* fieldsIn(props.children);
}

/** Those that show a part of the state as it is, with the names that lead there: `rows.0.2`. */
function fieldsOf(state, fields) {
  const named = fields.map((field) => ({ ...field, way: `${field.name}`.split(".") }));
  const inKind = ({ type }, value) => (type === "select" ? `${value}` : value);
  return named.filter((field) => shownIn(field) === inKind(field, partOf(state, field.way)));
}

const shownIn = ({ value, defaultValue }) => value ?? defaultValue;
const partOf = (whole, way) => way.reduce((part, place) => part?.[place], whole);

/** Whether a new value of the state is one that its fields take; parts may have gone with a list. */
const isTaken = (fields, name, value) =>
  fields
    .filter(({ way }) => way[0] === name)
    .every((field) => {
      const part = partOf(value, field.way.slice(1));
      return (part === undefined && field.way.length > 1) || part === null || takes(field, part);
    });

function takes({ type, children, min, max, step, ...input }, value) {
  if (type === "select") return optionsIn(children).includes(`${value}`);
  const isWhole = (input["data-whole"] ?? `${step === 1}`) === "true";
  const isNumber = isWhole ? Number.isInteger(value) : Number.isFinite(value);
  return isNumber && !(value < min) && !(value > max);
}

const optionsIn = (options) => [options].flat(Infinity).map((option) => option?.props?.value);
