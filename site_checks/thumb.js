// Where the thumb of a range input lies.
(input) => {
  const { x, y, width, height } = input.getBoundingClientRect();
  const share = (input.value - input.min) / (input.max - input.min);
  const along = getComputedStyle(input).direction === "rtl" ? 1 - share : share;
  return input.matches(".qb-upright")
    ? [x + width / 2, y + 13 + along * (height - 26)]
    : [x + 13 + along * (width - 26), y + height / 2];
};
