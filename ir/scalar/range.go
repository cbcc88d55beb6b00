package scalar

// This file says for people what numbers the kinds hold.

var ranges = [Count]string{
	I32: "-2147483648 to 2147483647", U32: "0 to 4294967295",
	I64: "-9223372036854775808 to 9223372036854775807", U64: "0 to 18446744073709551615",
	I8: "-128 to 127", U8: "0 to 255", I16: "-32768 to 32767", U16: "0 to 65535",
	F64: "-1.7976931348623157e308 to 1.7976931348623157e308", F16: "-65504 to 65504", F32: "-3.40282347e38 to 3.40282347e38",
}

// Range says which finite numbers a kind holds, as messages do: "0 to 255". It is "" for kinds that
// hold no numbers, or have no width of their own.
func (k Kind) Range() string { return ranges[k] }
